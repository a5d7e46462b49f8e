import { type ReadonlySignal, signal } from '@preact/signals'
import type { Operations, Tracker } from '#tracker-client'
import type { Api } from '../api/api.ts'
import { readStoredJson } from '../services/browser-storage.ts'
import type { Services } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { dayOfTimestamp } from '../time/days.ts'

export interface RunningTimer {
  readonly assignmentId: string
  /** Undefined if the assignment can no longer be seen. */
  readonly projectId: string | undefined
  readonly name: string
  readonly userId: string
  /** The timestamp of the start. */
  readonly since: string
}

/** The subject of a timer. */
export interface TimedAssignment {
  readonly id: string
  readonly projectId: string
  readonly name: string
}

/** The values that the user enters on stopping. The server fills in the others from the timer. */
type BookedTime = Operations['POST /ext/timer/stop']['body']

interface TimerStore {
  /** Loads the timer, because another device may have changed it. */
  refresh(): Promise<void>
  start(assignment: TimedAssignment): Promise<void>
  /** Ends the timer, and creates the appointment. */
  book(
    running: RunningTimer,
    booked?: BookedTime,
  ): Promise<{ readonly id: string; readonly amountHours: number }>
  discard(): Promise<void>
}

const storageKey = 'tracker.timer'

function readStored(): RunningTimer | undefined {
  const stored = readStoredJson<RunningTimer>(storageKey)
  return typeof stored?.since === 'string' && !Number.isNaN(Date.parse(stored.since)) ? stored : undefined
}

/** Unit tests have no local storage. */
const current = signal<RunningTimer | undefined>(
  typeof localStorage === 'undefined' ? undefined : readStored(),
)

/** The running timer. This browser stores it, so that a reload shows it at once, and other tabs follow. */
export const runningTimer: ReadonlySignal<RunningTimer | undefined> = current

// Follows other tabs. The key is null if another tab has cleared the storage.
if (typeof addEventListener === 'function')
  addEventListener('storage', (event) => {
    if (event.key === storageKey || event.key === null) current.value = readStored()
  })

function setRunningTimer(next: RunningTimer | undefined): void {
  if (next === undefined) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, JSON.stringify(next))
  current.value = next
}

/** The timer belongs to the account, or, without the extensions, to this browser. */
export const timerStore = ({ api, tracker, session, configuration }: Services): TimerStore =>
  configuration.extensions
    ? createAccountStore(api, tracker, () => session.person.peek()?.id ?? '')
    : createBrowserStore(api, () => session.person.peek()?.id ?? '')

function createAccountStore(api: Api, tracker: Tracker, userId: () => string): TimerStore {
  const applyAnswer = ({ timer }: Awaited<ReturnType<typeof read>>) =>
    setRunningTimer(
      timer
        ? {
            assignmentId: timer.assignmentId,
            projectId: timer.assignment?.projectId,
            name: timer.assignment?.name ?? '',
            userId: userId(),
            since: timer.startedAt,
          }
        : undefined,
    )
  const read = () => tracker.call('GET /ext/timer')
  const refresh = async () => applyAnswer(await read())
  /** Reads the timer again after an error, because another device may have ended it. */
  const orRefresh = async <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch(async (error) => {
      // The first error is shown.
      await refresh().catch(() => undefined)
      throw error.status === 404 ? new Error(t('The timer was ended on another device.')) : error
    })
  return {
    refresh,
    start: async ({ id }) =>
      applyAnswer(await orRefresh(tracker.call('POST /ext/timer', { body: { assignmentId: id } }))),
    async book(_running, booked = {}) {
      const appointment = await orRefresh(api.stopTimer(booked))
      setRunningTimer(undefined)
      return appointment
    },
    async discard() {
      await orRefresh(tracker.call('DELETE /ext/timer'))
      setRunningTimer(undefined)
    },
  }
}

const createBrowserStore = (api: Api, userId: () => string): TimerStore => ({
  refresh: async () => undefined,
  async start({ id, projectId, name }) {
    setRunningTimer({ assignmentId: id, projectId, name, userId: userId(), since: new Date().toISOString() })
  },
  async book(running, booked = {}) {
    const { assignmentId, userId, since } = running
    const amountHours = toRecordedHours(elapsedSeconds(running))
    const measured = { keepDate: dayOfTimestamp(since), amountHours }
    const appointment = await api.create('appointment', { assignmentId, userId, ...measured, ...booked })
    setRunningTimer(undefined)
    return appointment
  },
  async discard() {
    setRunningTimer(undefined)
  },
})

export const elapsedSeconds = ({ since }: RunningTimer, now = Date.now()): number =>
  Math.max(0, Math.floor((now - Date.parse(since)) / 1000))

/** A timer that runs longer was probably forgotten. The server has the same limit. */
const forgottenHours = 10

export const isForgotten = (running: RunningTimer): boolean => elapsedSeconds(running) > forgottenHours * 3600

/** Rounds to hundredths of an hour. At least one hundredth is recorded. */
export const toRecordedHours = (seconds: number): number => Math.max(1, Math.round(seconds / 36)) / 100
