import type { Budget } from '../model/budget.ts'
import { busy, overloaded } from '../model/problem.ts'

/** Runs a few pieces of work at a time, and limits each account to its share. */
export type FairQueue = <Result>(
  account: string,
  work: () => Promise<Result>,
  holder?: Holder,
) => Promise<Result>

/** Work that may end early, because its caller has left or because others wait for its place. */
export interface Holder {
  /** Once it is aborted, the work stops waiting. */
  readonly signal?: AbortSignal
  /** Returns by how much it has exceeded the time allowed while others wait; 0 within that time. */
  lateMilliseconds(): number
  /** Ends the work soon. */
  giveWay(): void
}

export interface FairQueueOptions extends Waiting {
  readonly atOnce: Budget
  readonly atOncePerAccount: Budget
  /** After this time, waiting work evicts the most overdue holder. Without it, no holder is evicted. */
  readonly patienceMilliseconds?: number
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const places = createPlaces(options)
  const holders = new Set<Holder>()
  const { atOncePerAccount, patienceMilliseconds } = options

  function oustLatest() {
    let latest: Holder | undefined
    let most = 0
    for (const holder of holders) {
      const late = holder.lateMilliseconds()
      if (late > most) [latest, most] = [holder, late]
    }
    if (!latest) return
    holders.delete(latest)
    latest.giveWay()
  }

  /**
   * Repeats, because the freed place may go to work that has waited longer. Does nothing while the account
   * has its full share.
   */
  function demandPlace(account: string, afterMilliseconds: number): () => void {
    let timer = setTimeout(function demand() {
      if (atOncePerAccount.used(account) < atOncePerAccount.max) oustLatest()
      timer = setTimeout(demand, retryDemandMilliseconds)
    }, afterMilliseconds)
    return () => clearTimeout(timer)
  }

  async function wait(account: string, signal: AbortSignal | undefined) {
    const stop = patienceMilliseconds === undefined ? undefined : demandPlace(account, patienceMilliseconds)
    await places.wait(account, signal).finally(stop)
  }

  return async (account, work, holder) => {
    if (!places.enter(account)) await wait(account, holder?.signal)
    if (holder) holders.add(holder)
    try {
      return await work()
    } finally {
      if (holder) holders.delete(holder)
      places.leave(account)
    }
  }
}

/** Longer than a holder takes to end. */
const retryDemandMilliseconds = 500

/** Places for work that is not a single call. */
export interface Places {
  /** Returns whether there was a free place; otherwise the caller has to wait. */
  enter(account: string): boolean
  /** Resolves once it has entered; rejects when that takes too long, and when the signal is aborted. */
  wait(account: string, signal?: AbortSignal): Promise<void>
  /** Must be called exactly once for each entry. */
  leave(account: string): void
}

export function createPlaces({ atOnce, atOncePerAccount, ...waiting }: FairQueueOptions): Places {
  const queues = createQueues(waiting)
  const enter = (account: string) => {
    const isFull = atOnce.used() >= atOnce.max || atOncePerAccount.used(account) >= atOncePerAccount.max
    if (isFull) return false
    atOnce.take()
    atOncePerAccount.take(1, account)
    return true
  }
  return {
    enter,
    // When the wait ends, the place is already counted as taken, so that later work cannot overtake it.
    wait: (account, signal) => queues.wait(account, signal),
    leave(account) {
      atOnce.release()
      atOncePerAccount.release(1, account)
      if (waiting.waiting.used() === 0) return
      queues.comesLast(account)
      queues.next(enter)?.letIn()
    },
  }
}

/** Enters, and returns the function that leaves: for work that is not a single call. */
export async function takePlace(
  turns: FairQueue,
  account: string,
  ended: Promise<void>,
  holder?: Holder,
): Promise<void> {
  const { promise: entered, resolve, reject } = Promise.withResolvers<void>()
  const work = () => {
    resolve()
    return ended
  }
  turns(account, work, holder).catch(reject)
  await entered
}

interface Waiting {
  readonly waiting: Budget
  readonly waitingPerAccount: Budget
  readonly waitMillisecondsMax?: number
}

interface Waiter {
  readonly account: string
  readonly letIn: () => void
}

/** Longer than two of the slowest statements; by then a client has given up or retries. */
const waitMillisecondsDefault = 6000
/** Sent with the error: after this time the work that was running has ended. */
const retryAfterSeconds = 5

/** One queue for each account; the accounts are served in rotation. */
function createQueues({
  waiting,
  waitingPerAccount,
  waitMillisecondsMax = waitMillisecondsDefault,
}: Waiting) {
  /** Ordered: the account that is served next comes first. */
  const queues = new Map<string, Set<Waiter>>()

  function join(account: string) {
    if (!waitingPerAccount.take(1, account)) throw busy(retryAfterSeconds)
    if (waiting.take()) return
    waitingPerAccount.release(1, account)
    throw tooMany()
  }

  function leave(waiter: Waiter) {
    const { account } = waiter
    const queue = queues.get(account)
    queue?.delete(waiter)
    if (queue?.size === 0) queues.delete(account)
    waiting.release()
    waitingPerAccount.release(1, account)
  }

  /** Moves an account that had its turn behind those that wait for theirs. */
  function comesLast(account: string) {
    const queue = queues.get(account)
    if (!queue) return
    queues.delete(account)
    queues.set(account, queue)
  }

  return {
    comesLast,
    async wait(account: string, signal?: AbortSignal) {
      join(account)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const waiter = { account, letIn: resolve }
      queues.set(account, (queues.get(account) ?? new Set()).add(waiter))
      const giveUp = () => {
        leave(waiter)
        reject(tooMany())
      }
      const timer = setTimeout(() => {
        waiting.recordRejection()
        giveUp()
      }, waitMillisecondsMax)
      signal?.addEventListener('abort', giveUp)
      await promise.finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
      })
    },
    /** Removes and returns the next waiter that gets a place. */
    next(enter: (account: string) => boolean): Waiter | undefined {
      for (const [account, queue] of queues) {
        const [waiter] = queue
        if (!waiter || !enter(account)) continue
        comesLast(account)
        leave(waiter)
        return waiter
      }
      return undefined
    },
  }
}

const tooMany = () =>
  overloaded('Too much of this is under way. Please try again later.', { retryAfterSeconds })
