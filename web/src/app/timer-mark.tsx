import { useEffect, useState } from 'preact/hooks'
import { type Running, runningTimer, secondsOf } from '../assignment/timer.ts'
import { TimerDialog } from '../assignment/timer-dialog.tsx'
import { isEndingTimer } from '../assignment/use-timer.ts'
import { assignmentPath } from '../router/addresses.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { showClock } from '../time/hours.ts'
import { Icon } from '../ui/icon.tsx'

/** The time that runs, on every screen and in every tab. */
export function TimerMark() {
  const running = useOwnTimer()
  if (running === undefined) return null
  return (
    <div class="timer-mark">
      <a href={assignmentPath(running.projectId, running.assignmentId)} title={running.name}>
        <Clock running={running} />
        <span class="timer-name" dir="auto">
          {running.name}
        </span>
      </a>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('Stop the timer')}
        title={t('Stop the timer')}
        onClick={() => {
          isEndingTimer.value = true
        }}
      >
        <Icon name="stop" />
      </button>
    </div>
  )
}

/** What becomes of the time, once somebody has stopped it. */
export function TimerEnd() {
  const running = useOwnTimer()
  const onClose = () => {
    isEndingTimer.value = false
  }
  useEffect(() => {
    if (running === undefined) onClose()
  }, [running])
  return running && isEndingTimer.value ? <TimerDialog running={running} onClose={onClose} /> : null
}

/** Somebody else may have started one in this browser. */
function useOwnTimer(): Running | undefined {
  const { session } = useServices()
  const running = runningTimer.value
  return running?.userId === session.person.value?.id ? running : undefined
}

function Clock({ running }: { readonly running: Running }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time class="timer-clock" role="timer" aria-label={t('Running for {name}', { name: running.name })}>
      {showClock(secondsOf(running, now))}
    </time>
  )
}
