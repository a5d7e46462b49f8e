import type { Authenticated } from '../../auth/authenticate.ts'
import type { Budgets } from '../../config/budgets.ts'
import type { Budget } from '../../model/budget.ts'
import { overloaded, Problem } from '../../model/problem.ts'

/** Limits the open live listings and feed streams of each account and of the process. */
export interface StreamLimits {
  /** Throws `busy` if the account has too many, and `overloaded` if there are too many in total. */
  take(account: string): void
  release(account: string): void
}

const retryAfterSeconds = 30

export function createStreamLimits(budgets: Budgets): StreamLimits {
  const ofHost = budgets.budget('liveListings')
  const ofAccount = budgets.budget('liveListingsOfAccount')
  return {
    take(account) {
      if (!ofAccount.take(1, account)) throw tooManyOfAccount(ofAccount.max)
      if (ofHost.take()) return
      ofAccount.release(1, account)
      throw tooMany()
    },
    release(account) {
      ofHost.release()
      ofAccount.release(1, account)
    },
  }
}

const tooManyOfAccount = (max: number) =>
  new Problem('busy', `An account may have at most ${max} live listings open. Close one first.`, {
    retryAfterSeconds,
  })

const tooMany = () =>
  overloaded('Too many live listings are open. Please try again later.', { retryAfterSeconds })

/**
 * Limits the memory of live listings: their newest snapshots, and older snapshots that clients have not read
 * yet.
 */
interface SnapshotMemory {
  reservationFor(account?: string): SnapshotReservation
}

/** The memory of a listing, or of a stream, which also counts for its account. */
export interface SnapshotReservation {
  /**
   * Reserves memory for these snapshots and releases the previous snapshots. If there is no room, returns the
   * problem and changes nothing.
   */
  reserve(snapshots: readonly Buffer[]): Problem | undefined
}

export function createSnapshotMemory(budgets: Budgets): SnapshotMemory {
  const ofProcess = createSharedCount(budgets.budget('liveBytes'))
  const ofAccount = createSharedCount(budgets.budget('liveBytesOfAccount'))

  function hold(snapshot: Buffer, account: string | undefined): Problem | undefined {
    if (account !== undefined && !ofAccount.hold(snapshot, account))
      return tooManyBytesOfAccount(ofAccount.max)
    if (ofProcess.hold(snapshot)) return undefined
    if (account !== undefined) ofAccount.release(snapshot, account)
    return tooManyBytes()
  }
  function release(snapshot: Buffer, account: string | undefined) {
    if (account !== undefined) ofAccount.release(snapshot, account)
    ofProcess.release(snapshot)
  }

  /** Holds all snapshots or none. */
  function holdAll(wanted: readonly Buffer[], account: string | undefined): Problem | undefined {
    for (const [index, snapshot] of wanted.entries()) {
      const problem = hold(snapshot, account)
      if (!problem) continue
      for (const held of wanted.slice(0, index)) release(held, account)
      return problem
    }
    return undefined
  }

  return {
    reservationFor(account) {
      let reserved: readonly Buffer[] = []
      return {
        reserve(wanted) {
          const problem = holdAll(
            wanted.filter((snapshot) => !reserved.includes(snapshot)),
            account,
          )
          if (problem) return problem
          for (const snapshot of reserved) if (!wanted.includes(snapshot)) release(snapshot, account)
          reserved = wanted
          return undefined
        },
      }
    },
  }
}

/** Counts the same bytes once for each account and once for the process, however many streams have them. */
function createSharedCount(budget: Budget) {
  const holds = new Map<string | undefined, Map<Buffer, number>>()
  return {
    max: budget.max,
    hold(snapshot: Buffer, account?: string): boolean {
      const counts = holds.get(account)
      const count = counts?.get(snapshot) ?? 0
      if (count === 0 && !budget.take(snapshot.length, account)) return false
      if (counts) counts.set(snapshot, count + 1)
      else holds.set(account, new Map([[snapshot, 1]]))
      return true
    },
    release(snapshot: Buffer, account?: string) {
      const counts = holds.get(account)
      const count = counts?.get(snapshot) ?? 0
      if (count > 1) counts?.set(snapshot, count - 1)
      if (count !== 1) return
      counts?.delete(snapshot)
      if (counts?.size === 0) holds.delete(account)
      budget.release(snapshot.length, account)
    },
  }
}

const tooManyBytesOfAccount = (bytesMax: number) =>
  new Problem(
    'busy',
    `The live listings of an account may have at most ${bytesMax / 1024 ** 2} MiB together. Close one or ask for smaller pages.`,
    { retryAfterSeconds },
  )

const tooManyBytes = () =>
  overloaded('Live listings take too much memory. Please try again later.', { retryAfterSeconds })

export interface SessionWatch {
  /** True while a check waits for the database. */
  readonly isInFlight: boolean
  isDue(now: number): boolean
  /**
   * Returns whether the session is still valid, and calls `onActive` if it is. Cached results are returned
   * synchronously, because one change may go to a thousand streams. If the database does not respond, returns
   * false, and a later check tries again.
   */
  check(onActive?: () => void): boolean | Promise<boolean>
  /** Called when the stream has ended. */
  stop(): void
}

interface WatchOptions {
  /** Called when the session has ended or its token has expired. */
  readonly onEnded: () => void
  /** Called with an error of `onActive` or `onEnded` if the check was not synchronous. */
  readonly onFailure: (error: unknown) => void
  /** Tests pass a clock. */
  readonly now?: () => number
}

/**
 * A session is checked before anything is sent, and at this interval. `recheck` uses a cached result only if
 * it stays valid beyond the next check, so a stream outlives its session by at most the cache time.
 */
const sessionCheckMilliseconds = 5000

/** Checks the session of a stream. Most checks are a cache lookup. */
export function watchSession(
  session: Authenticated,
  { onEnded, onFailure, now = Date.now }: WatchOptions,
): SessionWatch {
  let checkedAt = now()
  let isInFlight = false
  // Ends the stream together with its token, not up to a second later.
  const expiry = setTimeout(() => void watch.check(), timerDelay(session.expiresAt - now()))
  expiry.unref()
  const watch: SessionWatch = {
    get isInFlight() {
      return isInFlight
    },
    isDue: (at) => !isInFlight && (at - checkedAt >= sessionCheckMilliseconds || at >= session.expiresAt),
    check(onActive = () => undefined) {
      checkedAt = now()
      const settle = (isActive: boolean) => {
        isInFlight = false
        if (isActive) onActive()
        else onEnded()
        return isActive
      }
      const isActive = session.recheck()
      if (typeof isActive === 'boolean') return settle(isActive)
      isInFlight = true
      const databaseFailed = () => {
        isInFlight = false
        return false
      }
      return isActive.then(settle, databaseFailed).catch((error) => {
        onFailure(error)
        return false
      })
    },
    stop: () => clearTimeout(expiry),
  }
  return watch
}

/** Timers and tokens use different clocks: a timer that fires early finds the token still valid. */
const clockToleranceMilliseconds = 10
/**
 * A timer lasts for at most 24.8 days. For a token that is valid for longer, `isDue` is true when it expires.
 */
const timerMillisecondsMax = 2 ** 31 - 1

const timerDelay = (milliseconds: number): number =>
  Math.min(milliseconds + clockToleranceMilliseconds, timerMillisecondsMax)
