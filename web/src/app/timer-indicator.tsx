import { useEffect, useRef, useState } from 'preact/hooks'
import {
  elapsedSeconds,
  isForgotten,
  type RunningTimer,
  runningTimer,
  timerStore,
} from '../assignment/timer.ts'
import { isTimerDialogOpen } from '../assignment/timer-button.tsx'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatClock } from '../time/hours.ts'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/lazy.tsx'
import { useRootClass } from '../ui/page.tsx'

/** Shows the running timer on every screen and in every tab. */
export function TimerIndicator() {
  const running = useOwnTimer()
  useTimerOfAccount()
  useRootClass('has-timer', running !== undefined)
  if (running === undefined) return null
  return (
    <div class="timer-mark">
      <a
        href={running.projectId && assignmentPath(running.projectId, running.assignmentId)}
        title={running.name}
      >
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
          isTimerDialogOpen.value = true
        }}
      >
        <Icon name="stop" />
      </button>
    </div>
  )
}

const TimerDialog = lazyDialog(async () => (await import('../assignment/recorded-hours.tsx')).TimerDialog)

/** Asks what to do with the time of the timer that the user wants to stop, or has forgotten. */
export function EndTimerDialog() {
  const running = useOwnTimer()
  const onClose = () => {
    isTimerDialogOpen.value = false
  }
  useEffect(() => {
    if (running === undefined) onClose()
  }, [running])
  return running && isTimerDialogOpen.value ? <TimerDialog running={running} onClose={onClose} /> : null
}

/**
 * Refreshes the timer when the page becomes visible and every minute, because another device may change it.
 * When the user opens the page or returns to it, a dialog asks about a forgotten timer, once.
 */
function useTimerOfAccount(): void {
  const services = useServices()
  const userId = services.session.person.value?.id
  const lastAsked = useRef('')
  useEffect(() => {
    if (userId === undefined) return
    const { refresh } = timerStore(services)
    const refreshIfVisible = async () => {
      // A failed refresh is repeated after the interval.
      if (!document.hidden) await refresh().catch(() => undefined)
    }
    const refreshAndAsk = async () => {
      await refreshIfVisible()
      const running = runningTimer.peek()
      if (document.hidden || running?.userId !== userId || running.since === lastAsked.current) return
      if (!isForgotten(running)) return
      lastAsked.current = running.since
      isTimerDialogOpen.value = true
    }
    void refreshAndAsk()
    const interval = setInterval(refreshIfVisible, timerRefreshMilliseconds)
    document.addEventListener('visibilitychange', refreshAndAsk)
    return () => {
      clearInterval(interval)
      document.removeEventListener('visibilitychange', refreshAndAsk)
    }
  }, [userId])
}

const timerRefreshMilliseconds = 60_000

/** Returns the running timer, unless another user has started it in this browser. */
function useOwnTimer(): RunningTimer | undefined {
  const { session } = useServices()
  const running = runningTimer.value
  return running?.userId === session.person.value?.id ? running : undefined
}

function Clock({ running }: { readonly running: RunningTimer }) {
  const [now, setNow] = useState(Date.now)
  // The dialog asks about the time up to now, so the clock stops as well.
  const isStopped = isTimerDialogOpen.value
  useEffect(() => {
    if (isStopped) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isStopped])
  return (
    <time class="timer-clock" role="timer" aria-label={t('Running for {name}', { name: running.name })}>
      {formatClock(elapsedSeconds(running, now))}
    </time>
  )
}
