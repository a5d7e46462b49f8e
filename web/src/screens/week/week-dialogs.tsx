import { useEffect, useState } from 'preact/hooks'
import { loadByIds } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { TextField, useHoursOfDay } from '../../forms/fields.tsx'
import { Form, type FormState, useForm } from '../../forms/form.tsx'
import { useRemoval, useServices } from '../../services/services.ts'
import { inOneLine, t, tn } from '../../texts/text.ts'
import { addDays, dayOf, daysInWeek, formatDay, formatWeekday } from '../../time/days.ts'
import { formatHours, formatHoursInput, sumHours } from '../../time/hours.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { type Appointment, type Cell, cellKeyOf, entriesByCell, loadEntries } from './week.ts'

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
      const day = dayOf(keepDate)
      await api.update('appointment', {
        id,
        keepDate,
        assignmentId,
        userId,
        amountHours: await parseHours(values.amountHours, 'amountHours', { userId, day, previous }),
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
      await api.create('appointment', {
        assignmentId,
        userId,
        keepDate: day,
        amountHours: await parseHours(amountHours, 'amountHours', { userId, day }),
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

interface CopyWeekDialogProps {
  readonly userId: string
  readonly monday: string
  /** The existing entries of this week. */
  readonly existing: readonly Appointment[]
  onClose(): void
}

/** Lists the entries of last week, any of which the user may exclude, and copies them. */
export function CopyWeekDialog({ userId, monday, existing, onClose }: CopyWeekDialogProps) {
  const { api } = useServices()
  const lastMonday = addDays(monday, -daysInWeek)
  const { value, problem, reload } = useLoaded(`copy ${userId} ${monday}`, [], async (signal) => {
    const { rows } = await loadEntries(api, userId, lastMonday, signal)
    const ids = rows.map(({ assignmentId }) => assignmentId)
    return { entries: rows, assignments: await loadByIds(api, 'assignment', ids, signal) }
  })
  return (
    <Dialog title={t('Copy last week')} onClose={onClose}>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={5} cells="icon lines" />}
      {value?.entries.length === 0 && <p>{t('There is nothing to copy: last week has no entries.')}</p>}
      {value !== undefined && value.entries.length > 0 && (
        <Preview
          entries={value.entries.map((entry) => ({
            ...entry,
            id: crypto.randomUUID(),
            keepDate: addDays(dayOf(entry.keepDate), daysInWeek),
          }))}
          nameOf={(id) => value.assignments.get(id)?.name ?? t('Assignment')}
          existing={existing}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

interface PreviewProps {
  readonly entries: readonly Appointment[]
  readonly existing: readonly Appointment[]
  readonly nameOf: (assignmentId: string) => string
  onClose(): void
}

function Preview({ entries: initialEntries, existing, nameOf, onClose }: PreviewProps) {
  // The ids are kept across renders, so that a retry creates no duplicates.
  const [entries] = useState(initialEntries)
  const existingByCell = entriesByCell(existing)
  const { created, problems, isBusy, create } = useCreateEntries(onClose)
  const hasEntry = (entry: Appointment) =>
    existingByCell.has(cellKeyOf({ ...entry, day: dayOf(entry.keepDate) })) && !created.has(entry.id)
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(
    () => new Set(entries.filter(hasEntry).map(({ id }) => id)),
  )
  const included = entries.filter(({ id }) => !excluded.has(id) && !created.has(id))
  const toggle = (id: string) =>
    setExcluded(
      new Set(excluded.has(id) ? [...excluded].filter((excludedId) => excludedId !== id) : [...excluded, id]),
    )
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void create(included)
      }}
    >
      <ul class="rows copy-rows">
        {entries.map((entry) => (
          <li key={entry.id} class="row">
            <label>
              <input
                type="checkbox"
                checked={!excluded.has(entry.id)}
                disabled={created.has(entry.id)}
                onChange={() => toggle(entry.id)}
              />
              <span class="row-text">
                {formatWeekday(entry.keepDate)} {formatDay(entry.keepDate)} ·{' '}
                <bdi>{nameOf(entry.assignmentId)}</bdi> · <strong>{formatHours(entry.amountHours)}</strong>
                <span class="quiet-text line">
                  {inOneLine(entry.description, hasEntry(entry) && t('This day already has an entry.'))}
                </span>
                {problems.has(entry.id) && (
                  <span class="field-errors line" role="alert">
                    {problems.get(entry.id)}
                  </span>
                )}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <div class="form-buttons">
        <button type="button" class="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button type="submit" class="button primary" aria-disabled={isBusy || included.length === 0}>
          {isBusy
            ? t('Please wait…')
            : t('Create {entries}, {hours}', {
                entries: countText(included),
                hours: formatHours(sumHours(included)),
              })}
        </button>
      </div>
    </form>
  )
}

const countText = (entries: readonly unknown[]): string => tn(entries.length, '1 entry', '{count} entries')

/**
 * Creates entries one by one, so that each error is shown next to its entry and the others are still created.
 */
function useCreateEntries(onDone: () => void) {
  const { api, toasts } = useServices()
  const [created, setCreated] = useState<ReadonlySet<string>>(new Set())
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const [isBusy, setBusy] = useState(false)
  const create = async (entries: readonly Appointment[]) => {
    if (isBusy || entries.length === 0) return
    setBusy(true)
    const createdIds = new Set(created)
    const rejected = new Map<string, string>()
    for (const { id, assignmentId, userId, keepDate, amountHours, description } of entries) {
      const body = { id, assignmentId, userId, keepDate, amountHours, description }
      await api.create('appointment', body).then(
        () => createdIds.add(id),
        (error) => rejected.set(id, sentenceOf(error)),
      )
    }
    setBusy(false)
    setCreated(createdIds)
    setProblems(rejected)
    if (rejected.size > 0) return
    toasts.show({
      kind: 'done',
      text: tn(createdIds.size, '1 entry copied from last week.', '{count} entries copied from last week.'),
      undo: () => api.remove('appointment', [...createdIds]),
      redo: () => api.restore('appointment', [...createdIds]),
    })
    onDone()
  }
  return { created, problems, isBusy, create }
}
