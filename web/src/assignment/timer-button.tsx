import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { parseHours, TextField } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { undoLabel } from '../services/toasts.ts'
import { t } from '../texts/text.ts'
import { dayOfTimestamp } from '../time/days.ts'
import { formatHours, formatHoursInput } from '../time/hours.ts'
import { DayField } from '../ui/day-input.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import {
  elapsedSeconds,
  type RunningTimer,
  runningTimer,
  startTimer,
  stopTimer,
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
  const { start, stop } = useTimer()
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
      onClick={() => (isRunning ? stop() : void start(assignment))}
    >
      <Icon name={isRunning ? 'stop' : 'play'} />
      {showsLabel && <span>{isRunning ? t('Stop the timer') : t('Start a timer')}</span>}
    </button>
  )
}

/** The subject of a timer. */
interface TimedAssignment {
  readonly id: string
  readonly projectId: string
  readonly name: string
}

/** Set when the user stops the timer: the dialog asks for a note. */
export const isTimerDialogOpen = signal(false)

/** Starting another timer does not record a shorter time. */
const secondsMin = 20

/** Starting a timer stops the previous one and records its time. */
function useTimer() {
  const { api, session, toasts } = useServices()
  const record = async (running: RunningTimer) => {
    const amountHours = toRecordedHours(elapsedSeconds(running))
    const { assignmentId, userId, name } = running
    const keepDate = dayOfTimestamp(running.since)
    const { id } = await api.create('appointment', { assignmentId, userId, keepDate, amountHours })
    toasts.show({
      kind: 'done',
      text: t('{hours} recorded for {name}.', { hours: formatHours(amountHours), name }),
      action: { label: undoLabel(), run: () => api.remove('appointment', [id]) },
    })
  }
  return {
    async start({ id, projectId, name }: TimedAssignment) {
      const userId = session.person.value?.id ?? ''
      const previous = runningTimer.peek()
      startTimer({ assignmentId: id, projectId, name, userId })
      if (previous?.userId !== userId || elapsedSeconds(previous) < secondsMin) return
      try {
        await record(previous)
      } catch (error) {
        toasts.show({ kind: 'problem', text: `${previous.name}: ${sentenceOf(error)}` })
      }
    },
    stop() {
      isTimerDialogOpen.value = true
    },
  }
}

/** With more hours than this, the user has probably forgotten the timer. */
const plausibleHoursMax = 12

/** Asks whether to record the time, discard it, or keep the timer running. */
export function TimerDialog({ running, onClose }: { readonly running: RunningTimer; onClose(): void }) {
  const { api, toasts } = useServices()
  const { assignmentId, userId, name } = running
  const [hours] = useState(() => toRecordedHours(elapsedSeconds(running)))
  const form = useForm({
    initial: {
      keepDate: dayOfTimestamp(running.since),
      amountHours: formatHoursInput(hours),
      description: '',
    },
    async submit({ keepDate, amountHours, description }) {
      const recorded = parseHours(amountHours, 'amountHours')
      await api.create('appointment', {
        assignmentId,
        userId,
        keepDate,
        amountHours: recorded,
        description: description.trim() || null,
      })
      stopTimer()
      toasts.show({
        kind: 'done',
        text: t('{hours} recorded for {name}.', { hours: formatHours(recorded), name }),
      })
    },
  })
  const discard = () => {
    stopTimer()
    onClose()
  }
  return (
    <Dialog title={t('Record the time for {name}', { name })} onClose={onClose}>
      {hours > plausibleHoursMax && (
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
