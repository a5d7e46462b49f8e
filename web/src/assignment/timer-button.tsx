import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { runningTimer } from './timer.ts'
import { type Timed, useTimer } from './use-timer.ts'

export interface TimerButtonProps {
  readonly assignment: Timed
  /** What it does stands beside its sign. */
  readonly isNamed?: boolean
}

/** Starts the time of an assignment; while it runs, ends it. */
export function TimerButton({ assignment, isNamed = false }: TimerButtonProps) {
  const { session } = useServices()
  const { start, stop } = useTimer()
  const { id, name } = assignment
  const running = runningTimer.value
  const isRunning = running?.assignmentId === id && running.userId === session.person.value?.id
  const label = isRunning ? t('Stop the timer of {name}', { name }) : t('Start a timer for {name}', { name })
  return (
    <button
      type="button"
      class={`button timer-button ${isNamed ? '' : 'quiet icon-only'} ${isRunning ? 'running' : ''}`}
      aria-label={label}
      title={label}
      onClick={() => (isRunning ? stop() : void start(assignment))}
    >
      <Icon name={isRunning ? 'stop' : 'play'} />
      {isNamed && <span>{isRunning ? t('Stop the timer') : t('Start a timer')}</span>}
    </button>
  )
}
