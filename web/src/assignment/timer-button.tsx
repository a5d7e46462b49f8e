import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { TextField, useHoursOfDay } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { dayOfTimestamp } from '../time/days.ts'
import { formatHours, formatHoursInput } from '../time/hours.ts'
import { DayField } from '../ui/day-input.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import {
  elapsedSeconds,
  isForgotten,
  type RunningTimer,
  runningTimer,
  type TimedAssignment,
  timerStore,
  toRecordedHours,
} from './timer.ts'

export interface TimerButtonProps {
  readonly assignment: TimedAssignment
  /** Shows the label next to the icon. */
  readonly showsLabel?: boolean
}

/** Starts the timer of an assignment, or stops it. */
export function TimerButton({ assignment, showsLabel = false }: TimerButtonProps) {
  const { session } = useServices()
  const start = useStartTimer()
  const { id, name } = assignment
  const running = runningTimer.value
  const isRunning = running?.assignmentId === id && running.userId === session.person.value?.id
  const label = isRunning ? t('Stop the timer of {name}', { name }) : t('Start a timer for {name}', { name })
  return (
    <button
      type="button"
      class={`button timer-button ${showsLabel ? '' : 'quiet icon-only'} ${isRunning ? 'running' : ''}`}
      aria-label={label}
      title={label}
      onClick={() => (isRunning ? openTimerDialog() : void start(assignment))}
    >
      <Icon name={isRunning ? 'stop' : 'play'} />
      {showsLabel && <span>{isRunning ? t('Stop the timer') : t('Start a timer')}</span>}
    </button>
  )
}

/** The dialog asks what to do with the time. Until the user has answered, the timer is running. */
export const isTimerDialogOpen = signal(false)

const openTimerDialog = () => {
  isTimerDialogOpen.value = true
}

/** A shorter time is discarded when another timer starts. */
const secondsMin = 20

/**
 * Starting a timer ends the previous one: its time is recorded, or discarded if it is too short. If the
 * previous one was forgotten, the user is asked about it, and nothing is started.
 */
function useStartTimer() {
  const services = useServices()
  const { api, session, toasts } = services
  const timers = timerStore(services)
  const recordOrDiscard = async (previous: RunningTimer) => {
    if (elapsedSeconds(previous) < secondsMin) return timers.discard()
    const { id, amountHours } = await timers.book(previous)
    toasts.show({
      kind: 'done',
      text: t('{hours} recorded for {name}.', { hours: formatHours(amountHours), name: previous.name }),
      undo: () => api.remove('appointment', [id]),
    })
  }
  const succeeds = (name: string, work: Promise<void>) =>
    work.then(
      () => true,
      (error) => {
        toasts.show({ kind: 'problem', text: `${name}: ${sentenceOf(error)}` })
        return false
      },
    )
  return async (assignment: TimedAssignment) => {
    const running = runningTimer.peek()
    const previous = running?.userId === session.person.value?.id ? running : undefined
    if (previous && isForgotten(previous)) return openTimerDialog()
    if (previous && !(await succeeds(previous.name, recordOrDiscard(previous)))) return
    await succeeds(assignment.name, timers.start(assignment))
  }
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
      const recorded = parseHours(amountHours, 'amountHours')
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
    <Dialog title={t('Record the time for {name}', { name })} onClose={onClose}>
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
        {t('Discard the time')}
      </button>
    </Dialog>
  )
}
