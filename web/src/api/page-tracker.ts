import { type Signal, signal } from '@preact/signals'
import { openTracker, type Tracker, type TrackerError, type TrackerOptions } from '#tracker-client'
import { type Session, SessionEndedError } from '../session/session.ts'
import { inUsersWords, unreachable } from './problems.ts'

export interface PageTracker {
  readonly tracker: Tracker
  /** The time of the next retry after a 429, to show it to the user. */
  readonly busyUntil: Signal<number | undefined>
  /** True if the last request got a response. */
  readonly isReached: Signal<boolean>
}

/** The client of the user's session. A busy server is retried; other errors are thrown, and a second rejection ends the session. */
export function openPageTracker(address: string, session: Session): PageTracker {
  const { fetch, isReached } = watchNetwork()
  const busyUntil = signal<number | undefined>(undefined)
  const tracker = openTracker({
    ...untilAnswered,
    address,
    fetch,
    retries: busyRetriesMax,
    retryAfter: busyMilliseconds,
    token: (rejected) =>
      (rejected === undefined ? session.accessToken() : session.renewedToken(rejected)).catch(reportOutage),
    mapError(error) {
      if (error instanceof SessionEndedError) return error
      if (error.status !== 401) return inUsersWords(error)
      session.end()
      return new SessionEndedError()
    },
    async pause(milliseconds) {
      busyUntil.value = Math.max(busyUntil.value ?? 0, Date.now() + milliseconds)
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      if (busyUntil.value !== undefined && busyUntil.value <= Date.now()) busyUntil.value = undefined
    },
  })
  return { tracker, busyUntil, isReached }
}

/** A client without a session, for users of links. */
export const openGuestTracker = (address: string): Tracker =>
  openTracker({ ...untilAnswered, address, retries: 0, mapError: inUsersWords })

/** A slow network may take any time. Forms use ids of their own, so the host keeps no keys for them. */
const untilAnswered = {
  withinMilliseconds: Number.POSITIVE_INFINITY,
  idempotencyKeys: false,
} satisfies Partial<TrackerOptions>

/** The number of retries for a busy server; then the user sees the error. */
const busyRetriesMax = 2
/** The API counts by the minute; a longer wait is a lockout. */
const busySecondsMax = 60
const busySecondsDefault = 5

/** An outage is not waited for here: screens show it, and load again when it has ended. */
function busyMilliseconds({ status, retryAfterSeconds = busySecondsDefault }: TrackerError) {
  return status === 429 && retryAfterSeconds <= busySecondsMax ? retryAfterSeconds * 1000 : undefined
}

/** Renewing fails when the session has ended, or because the provider cannot be reached. */
const reportOutage = (error: unknown): never => {
  throw error instanceof SessionEndedError ? error : unreachable(error)
}

function watchNetwork(): { readonly fetch: typeof fetch; readonly isReached: Signal<boolean> } {
  const isReached = signal(true)
  let networksLost = 0
  addEventListener('offline', () => {
    networksLost += 1
    isReached.value = false
  })
  const watched: typeof fetch = async (url, init) => {
    const lostBefore = networksLost
    const response = await fetch(url, init).catch((error: unknown) => {
      if (!init?.signal?.aborted) isReached.value = false
      throw error
    })
    // A response to a request from before the outage says nothing about the present.
    if (networksLost === lostBefore) isReached.value = true
    return response
  }
  return { fetch: watched, isReached }
}
