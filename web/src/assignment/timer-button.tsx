import { signal } from '@preact/signals'
import { sentenceOf } from '../api/problems.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatHours } from '../time/hours.ts'
import { Icon } from '../ui/icon.tsx'
import {
  elapsedSeconds,
  isForgotten,
  type RunningTimer,
  runningTimer,
  type TimedAssignment,
  timerStore,
} from './timer.ts'

interface TimerButtonProps {
  readonly assignment: TimedAssignment
  /** Shows the label next to the icon. */
  readonly showsLabel?: boolean
}

/** Starts the timer of an assignment, or stops it. */
export function TimerButton({ assignment, showsLabel = false }: TimerButtonProps) {
  const { isRunning, toggle } = useTimer()(assignment)
  const { name } = assignment
  const label = isRunning ? t('Stop the timer of {name}', { name }) : t('Start a timer for {name}', { name })
  return (
    <button
      type="button"
      class={`button timer-button ${showsLabel ? '' : 'quiet icon-only'} ${isRunning ? 'running' : ''}`}
      aria-label={label}
      title={label}
      onClick={toggle}
    >
      <Icon name={isRunning ? 'stop' : 'play'} />
      {showsLabel && <span>{isRunning ? t('Stop the timer') : t('Start a timer')}</span>}
    </button>
  )
}

/** Returns a function that returns whether the timer of an assignment is running, and how to start or stop it. */
export function useTimer() {
  const { session } = useServices()
  const start = useStartTimer()
  return (assignment: TimedAssignment) => {
    const running = runningTimer.value
    const isRunning = running?.assignmentId === assignment.id && running.userId === session.person.value?.id
    return { isRunning, toggle: () => (isRunning ? openTimerDialog() : void start(assignment)) }
  }
}

/** The dialog asks what to do with the time. Until the user has answered, the timer keeps running. */
export const isTimerDialogOpen = signal(false)

const openTimerDialog = () => {
  isTimerDialogOpen.value = true
}

/** A shorter time is discarded when another timer starts. */
const secondsMin = 20

/**
 * Returns a function that starts a timer. The time of the previous timer is recorded, or discarded if it is
 * too short. If the previous timer was forgotten, the user is asked about it, and nothing is started.
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
