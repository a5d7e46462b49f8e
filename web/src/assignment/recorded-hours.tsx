import { useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { TextField, useHoursOfDay } from '../forms/fields.tsx'
import { Form, useForm } from '../forms/form.tsx'
import { useRemoval, useServices } from '../services/services.ts'
import { inOneLine, t } from '../texts/text.ts'
import { dayOfTimestamp, formatDay, today } from '../time/days.ts'
import { formatHours, formatHoursInput, sumHours } from '../time/hours.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DayField } from '../ui/form-fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { PanelForm } from './panel-form.tsx'
import { type PanelData, PanelSection } from './panel-section.tsx'
import {
  changesOf,
  type HoursChange,
  type QueuedChange,
  type QueueServices,
  queuedChanges,
  sendHours,
  sendOrQueue,
} from './queue.ts'
import { QueueMark } from './state-chips.tsx'
import { elapsedSeconds, isForgotten, type RunningTimer, timerStore, toRecordedHours } from './timer.ts'
import { TimerButton } from './timer-button.tsx'

type Appointment = RecordOf<'appointment'>

interface TimeSectionProps {
  readonly assignment: RecordOf<'assignment'>
  /** Undefined without a network, if they were not loaded before. */
  readonly appointments: PanelData['appointments'] | undefined
}

/** Compares recorded with planned time, and lists the entries. Unknown ones are not summed up. */
export function TimeSection({ assignment, appointments }: TimeSectionProps) {
  const [isAdding, setAdding] = useState(false)
  const rows = withQueuedHours(appointments?.rows ?? [], ({ assignmentId }) => assignmentId === assignment.id)
  const recorded = sumHours(rows)
  const planned = assignment.amountHours
  const text = describeTime(recorded, planned)
  const list = (
    <ul class="rows">
      {rows.map((appointment) => (
        <AppointmentRow key={appointment.id} appointment={appointment} />
      ))}
    </ul>
  )
  return (
    <PanelSection name="time" title={t('Hours')} isEmpty={false}>
      {appointments && planned > 0 && <TimeBar recorded={recorded} planned={planned} />}
      {rows.length < 2 || !appointments ? (
        <>
          {appointments && <p class="time-sum">{text}</p>}
          {list}
        </>
      ) : (
        // An entry that waits for the network is shown at once.
        <details class="time-entries" open={changesOf(assignment.id).some(({ kind }) => kind === 'hours')}>
          <summary class="time-sum">
            {inOneLine(text, t('{count} entries', { count: rows.length }))}
            <Icon name="down" />
          </summary>
          {list}
        </details>
      )}
      <span class="row-buttons-named">
        <button
          type="button"
          class="button quiet"
          data-tool="hours"
          aria-expanded={isAdding}
          onClick={() => setAdding(!isAdding)}
        >
          <Icon name="record" />
          <span>{t('Record hours')}</span>
        </button>
        {appointments && <TimerButton assignment={assignment} showsLabel />}
      </span>
      {isAdding && <NewAppointment assignment={assignment} onClose={() => setAdding(false)} />}
    </PanelSection>
  )
}

function describeTime(recorded: number, planned: number): string {
  if (planned === 0) return t('{hours} recorded, no hours planned yet', { hours: formatHours(recorded) })
  const hours = { recorded: formatHours(recorded), planned: formatHours(planned) }
  if (recorded <= planned) return t('{recorded} of {planned}', hours)
  return t('{recorded} of {planned}, {over} over', { ...hours, over: formatHours(recorded - planned) })
}

/** Shows the recorded and the planned hours as a bar. */
const TimeBar = ({ recorded, planned }: { readonly recorded: number; readonly planned: number }) => (
  <svg
    class={`time-bar ${recorded > planned ? 'over' : ''}`}
    viewBox="0 0 100 6"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="time-planned" width="100" height="6" />
    <rect class="time-recorded" width={Math.min(100, (recorded / planned) * 100)} height="6" />
  </svg>
)

function AppointmentRow({ appointment }: { readonly appointment: Appointment }) {
  const { people, session } = useServices()
  const remove = useRemoval()
  const { id, assignmentId, userId, keepDate, amountHours, description } = appointment
  const changes = changesOf(assignmentId).filter(
    (change) => change.kind === 'hours' && change.entry.id === id,
  )
  const self = session.person.value
  const canRemove = self?.isAdministrator || userId === self?.id
  const name = t('{hours} on {day}', { hours: formatHours(amountHours), day: formatDay(keepDate) })
  return (
    <li class="row removable-row">
      <span class="row-text">
        <strong>{formatHours(amountHours)}</strong> · {formatDay(keepDate)} ·{' '}
        <bdi>{people.nameOf(userId)}</bdi>
        {description && (
          <span class="quiet-text line" dir="auto">
            {description}
          </span>
        )}{' '}
        <QueueMark changes={changes} />
      </span>
      {canRemove && changes.length === 0 && (
        <button
          type="button"
          class="button quiet icon-only"
          aria-label={t('Remove {name}', { name })}
          onClick={() => void remove('appointment', id, name)}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  )
}

/** Records the user's own time. */
function NewAppointment({
  assignment,
  onClose,
}: {
  readonly assignment: RecordOf<'assignment'>
  onClose(): void
}) {
  const services = useServices()
  const assignmentId = assignment.id
  // The id is the same for each attempt to send the form.
  const [id] = useState(() => crypto.randomUUID())
  const parseHours = useHoursOfDay()
  const form = useForm({
    draft: `appointment-${assignmentId}`,
    initial: { keepDate: today(), amountHours: '', description: '' },
    async submit({ amountHours, ...values }) {
      const userId = services.session.person.value?.id ?? ''
      const hours = await parseHours(amountHours, 'amountHours', { userId, day: values.keepDate })
      const entry = { ...values, id, amountHours: hours, assignmentId, userId }
      await recordHours(services, { kind: 'hours', entry }, assignment)
    },
  })
  return (
    <PanelForm onClose={onClose}>
      <Form form={form} submitLabel={t('Record')} onCancel={onClose} onDone={onClose}>
        <div class="field-pair">
          <DayField form={form} name="keepDate" label={t('Day')} required />
          <TextField
            form={form}
            name="amountHours"
            label={t('Hours')}
            inputMode="decimal"
            required
            autofocus
          />
        </div>
        <TextField form={form} name="description" label={t('Note')} />
      </Form>
    </PanelForm>
  )
}

/** Asks whether to record the time, discard it, or keep the timer running. */
export function TimerDialog({ running, onClose }: { readonly running: RunningTimer; onClose(): void }) {
  const services = useServices()
  const { api, toasts } = services
  const parseHours = useHoursOfDay()
  const timers = timerStore(services)
  const { name } = running
  const [hours] = useState(() => toRecordedHours(elapsedSeconds(running)))
  const form = useForm({
    initial: {
      keepDate: dayOfTimestamp(running.since),
      amountHours: formatHoursInput(hours),
      description: '',
    },
    async submit({ keepDate, amountHours, description }) {
      const { userId } = running
      const recorded = await parseHours(amountHours, 'amountHours', { userId, day: keepDate })
      const { id } = await timers.book(running, {
        keepDate,
        amountHours: recorded,
        description: description.trim() || null,
      })
      toasts.show({
        kind: 'done',
        text: t('{hours} recorded for {name}.', { hours: formatHours(recorded), name }),
        undo: () => api.remove('appointment', [id]),
      })
    },
  })
  const discard = () =>
    timers.discard().then(onClose, (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  return (
    <Dialog title={t('Record the hours of {name}', { name })} onClose={onClose}>
      {isForgotten(running) && (
        <p class="form-note">
          {t('The timer ran for {hours}. Did you forget it?', { hours: formatHours(hours) })}
        </p>
      )}
      <Form
        form={form}
        submitLabel={t('Record')}
        onCancel={onClose}
        cancelLabel={t('Keep it running')}
        onDone={onClose}
      >
        <TextField form={form} name="description" label={t('Note')} autofocus />
        <div class="field-pair">
          <DayField form={form} name="keepDate" label={t('Day')} required />
          <TextField form={form} name="amountHours" label={t('Hours')} inputMode="decimal" required />
        </div>
      </Form>
      <button type="button" class="button quiet danger" onClick={discard}>
        {t('Discard the hours')}
      </button>
    </Dialog>
  )
}

/** Records hours, or keeps them until there is a network. Returns whether they were recorded. */
export const recordHours = (
  services: QueueServices,
  change: HoursChange,
  assignment: QueuedChange['assignment'],
): Promise<boolean> => sendOrQueue(services, change, assignment, () => sendHours(services, change))

/** Adds the matching queued hours to the entries, and replaces the entries that they change. */
export function withQueuedHours(
  entries: readonly Appointment[],
  matches: (entry: HoursChange['entry']) => boolean,
): readonly Appointment[] {
  if (queuedChanges.value.length === 0) return entries
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  // Sent changes come last in the queue. Here they come first, because unsent changes of the same entry are
  // newer.
  for (const change of queuedChanges.value.toReversed())
    if (change.kind === 'hours' && matches(change.entry))
      byId.set(change.entry.id, { ...newEntry(change.at), ...byId.get(change.entry.id), ...change.entry })
  return [...byId.values()]
}

const newEntry = (at: number) => ({
  description: null,
  createdAt: new Date(at).toISOString(),
  updatedAt: null,
  deletedAt: null,
  active: true,
})
