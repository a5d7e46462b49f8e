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
