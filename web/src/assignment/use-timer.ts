import { signal } from '@preact/signals'
import { sentenceOf } from '../api/api-problem.ts'
import { useServices } from '../services/services.ts'
import { undoLabel } from '../services/toasts.ts'
import { t } from '../texts/text.ts'
import { dayOfMoment } from '../time/days.ts'
import { showHours } from '../time/hours.ts'
import { hoursOf, type Running, runningTimer, secondsOf, startTimer, stopTimer } from './timer.ts'

/** What time can run on. */
export interface Timed {
  readonly id: string
  readonly projectId: string
  readonly name: string
}

/** Whether somebody has asked to end it, and is asked what it was for. */
export const isEndingTimer = signal(false)

/** Below this nobody has worked. */
const secondsMin = 20

/** Starting another timer records the one before. */
export function useTimer() {
  const { api, session, toasts } = useServices()
  const record = async (running: Running) => {
    const amountHours = hoursOf(secondsOf(running))
    const { assignmentId, userId, name } = running
    const keepDate = dayOfMoment(running.since)
    const { id } = await api.create('appointment', { assignmentId, userId, keepDate, amountHours })
    toasts.show({
      kind: 'done',
      text: t('{hours} recorded for {name}.', { hours: showHours(amountHours), name }),
      action: { label: undoLabel(), run: () => api.remove('appointment', [id]) },
    })
  }
  return {
    async start({ id, projectId, name }: Timed) {
      const userId = session.person.value?.id ?? ''
      const before = runningTimer.peek()
      startTimer({ assignmentId: id, projectId, name, userId })
      if (before?.userId !== userId || secondsOf(before) < secondsMin) return
      try {
        await record(before)
      } catch (error) {
        toasts.show({ kind: 'problem', text: `${before.name}: ${sentenceOf(error)}` })
      }
    },
    stop() {
      isEndingTimer.value = true
    },
    discard: stopTimer,
  }
}
