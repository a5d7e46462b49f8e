import { useEffect } from 'preact/hooks'
import { loadHoursOfDay, TextField, useHoursOfDay } from '../../forms/fields.tsx'
import { Form, type FormState, useForm } from '../../forms/form.tsx'
import { useRemoval, useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { dayOf, formatDay, formatWeekday } from '../../time/days.ts'
import { formatHours, formatHoursInput } from '../../time/hours.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { Appointment, Cell } from './week.ts'

interface EntriesDialogProps {
  readonly userId: string
  readonly assignmentName: string
  readonly cell: Cell
  onClose(): void
}

/** Edits the entries of one assignment on one day, each with its note. */
export function EntriesDialog({ userId, assignmentName, cell, onClose }: EntriesDialogProps) {
  return (
    <Dialog title={`${assignmentName}, ${formatWeekday(cell.day)} ${formatDay(cell.day)}`} onClose={onClose}>
      {cell.entries.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
      <NewEntry userId={userId} cell={cell} onClose={onClose} />
    </Dialog>
  )
}

interface EntryValues {
  readonly amountHours: string
  readonly description: string
  readonly [name: string]: string
}

const valuesOf = ({ amountHours, description }: Appointment): EntryValues => ({
  amountHours: formatHoursInput(amountHours),
  description: description ?? '',
})

const EntryFields = ({
  form,
  isFirst = false,
}: {
  readonly form: FormState<EntryValues>
  readonly isFirst?: boolean
}) => (
  <div class="entry-fields">
    <TextField
      form={form}
      name="amountHours"
      label={t('Hours')}
      inputMode="decimal"
      required
      autofocus={isFirst}
    />
    <TextField form={form} name="description" label={t('Note')} />
  </div>
)

function Entry({ entry }: { readonly entry: Appointment }) {
  const { api } = useServices()
  const remove = useRemoval()
  const parseHours = useHoursOfDay()
  const form = useForm<EntryValues>({
    draft: `entry-${entry.id}`,
    initial: valuesOf(entry),
    async submit(values) {
      const { id, keepDate, assignmentId, userId, amountHours: previous } = entry
      const others = Math.max(0, (await loadHoursOfDay(api, userId, dayOf(keepDate))) - previous)
      await api.update('appointment', {
        id,
        keepDate,
        assignmentId,
        userId,
        amountHours: parseHours(values.amountHours, 'amountHours', { others, previous }),
        description: values.description.trim() || null,
      })
      form.follow(values)
    },
  })
  useEffect(() => form.follow(valuesOf(entry)), [form, entry])
  return (
    <section class="entry" aria-label={t('Entry of {hours}', { hours: formatHours(entry.amountHours) })}>
      <Form form={form} submitLabel={t('Save')} isIdle={!form.isChanged.value}>
        <EntryFields form={form} />
      </Form>
      {!form.isChanged.value && (
        <button
          type="button"
          class="button quiet danger"
          onClick={() => void remove('appointment', entry.id, t('The entry'))}
        >
          {t('Remove')}
        </button>
      )}
    </section>
  )
}

function NewEntry({
  userId,
  cell,
  onClose,
}: {
  readonly userId: string
  readonly cell: Cell
  onClose(): void
}) {
  const { api } = useServices()
  const parseHours = useHoursOfDay()
  const { assignmentId, day, entries } = cell
  const form = useForm<EntryValues>({
    draft: `entry-${assignmentId}-${day}`,
    initial: { amountHours: '', description: '' },
    async submit({ amountHours, description }) {
      const others = await loadHoursOfDay(api, userId, day)
      await api.create('appointment', {
        assignmentId,
        userId,
        keepDate: day,
        amountHours: parseHours(amountHours, 'amountHours', { others }),
        description: description.trim() || null,
      })
    },
  })
  const isFirst = entries.length === 0
  return (
    <section class="entry" aria-label={t('New entry')}>
      <h3>{isFirst ? t('New entry') : t('Another entry')}</h3>
      <Form
        form={form}
        submitLabel={t('Add')}
        onCancel={onClose}
        cancelLabel={t('Close')}
        onDone={form.discard}
      >
        <EntryFields form={form} isFirst={isFirst} />
      </Form>
    </section>
  )
}
