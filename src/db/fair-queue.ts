import type { Budget } from '../model/budget.ts'
import { busy, overloaded } from '../model/problem.ts'

/** Runs a limited number of tasks at a time, and limits each account to its share. */
export type FairQueue = <Result>(
  account: string,
  work: () => Promise<Result>,
  evictable?: Evictable,
) => Promise<Result>

/** Work that can be stopped: by its signal while it waits, by `evict` while it has a slot. */
export interface Evictable {
  /** Aborted when the caller has left. */
  readonly signal?: AbortSignal
  /** Returns for how long the work has kept its slot beyond its share, or 0 if it may keep it. */
  overdueMilliseconds(): number
  /** Makes the work end soon. */
  evict(): void
}

export interface FairQueueOptions extends WaitingOptions {
  readonly atOnce: Budget
  readonly atOncePerAccount: Budget
  /** After this time, waiting work evicts the most overdue work. Without it, nothing is evicted. */
  readonly patienceMilliseconds?: number
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const slots = createSlots(options)
  const running = new Set<Evictable>()
  const { atOncePerAccount, patienceMilliseconds } = options

  function evictMostOverdue() {
    let mostOverdue: Evictable | undefined
    let milliseconds = 0
    for (const work of running) {
      const overdue = work.overdueMilliseconds()
      if (overdue <= milliseconds) continue
      mostOverdue = work
      milliseconds = overdue
    }
    if (!mostOverdue) return
    running.delete(mostOverdue)
    mostOverdue.evict()
  }

  /**
   * Evicts work until the returned function is called, because a freed slot may go to another account that
   * has waited longer. An account that has its full share evicts nothing, as a free slot would not help it.
   */
  function evictRepeatedly(account: string, afterMilliseconds: number): () => void {
    let timer = setTimeout(evict, afterMilliseconds)
    function evict() {
      if (atOncePerAccount.used(account) < atOncePerAccount.max) evictMostOverdue()
      timer = setTimeout(evict, evictAgainMilliseconds)
    }
    return () => clearTimeout(timer)
  }

  async function wait(account: string, signal: AbortSignal | undefined) {
    const stop =
      patienceMilliseconds === undefined ? undefined : evictRepeatedly(account, patienceMilliseconds)
    await slots.wait(account, signal).finally(stop)
  }

  return async (account, work, evictable) => {
    if (!slots.enter(account)) await wait(account, evictable?.signal)
    if (evictable) running.add(evictable)
    try {
      return await work()
    } finally {
      if (evictable) running.delete(evictable)
      slots.leave(account)
    }
  }
}

/** Longer than evicted work takes to end. */
const evictAgainMilliseconds = 500

/** A fair queue for work that begins and ends in different functions. */
export interface Slots {
  /** Takes a slot and returns true, or returns false if none is free. */
  enter(account: string): boolean
  /** Waits for a slot and takes it. Rejects after too long a wait, or if the signal is aborted. */
  wait(account: string, signal?: AbortSignal): Promise<void>
  /** Must be called exactly once for each entry. */
  leave(account: string): void
}

export function createSlots({ atOnce, atOncePerAccount, ...waitingOptions }: FairQueueOptions): Slots {
  const queues = createQueues(waitingOptions)
  const enter = (account: string) => {
    const isFull = atOnce.used() >= atOnce.max || atOncePerAccount.used(account) >= atOncePerAccount.max
    if (isFull) return false
    atOnce.take()
    atOncePerAccount.take(1, account)
    return true
  }
  return {
    enter,
    // When the wait ends, `admitNext` has already taken the slot, so that later work cannot overtake.
    wait: (account, signal) => queues.wait(account, signal),
    leave(account) {
      atOnce.release()
      atOncePerAccount.release(1, account)
      if (waitingOptions.waiting.used() === 0) return
      // This account may have entered without waiting, and so has not been moved yet.
      queues.moveToEnd(account)
      queues.admitNext(enter)
    },
  }
}

/** Waits for a slot, and keeps it until `ended` resolves. */
export async function holdSlotUntil(
  ended: Promise<void>,
  queue: FairQueue,
  account: string,
  evictable?: Evictable,
): Promise<void> {
  const { promise: entered, resolve, reject } = Promise.withResolvers<void>()
  const work = () => {
    resolve()
    return ended
  }
  queue(account, work, evictable).catch(reject)
  await entered
}

interface WaitingOptions {
  readonly waiting: Budget
  readonly waitingPerAccount: Budget
  readonly waitMillisecondsMax?: number
}

interface Waiter {
  readonly account: string
  /** Ends the wait. */
  admit(): void
}

/** Longer than two of the slowest statements. Clients have given up or retry by then. */
const waitMillisecondsDefault = 6000
/** The work that is in progress now ends within this time. */
const retryAfterSeconds = 5

/** Creates a queue for each account, and serves the accounts in rotation. */
function createQueues({
  waiting,
  waitingPerAccount,
  waitMillisecondsMax = waitMillisecondsDefault,
}: WaitingOptions) {
  /** The first account is served next. */
  const queues = new Map<string, Set<Waiter>>()

  function joinQueue(account: string) {
    if (!waitingPerAccount.take(1, account)) throw busy(retryAfterSeconds)
    if (waiting.take()) return
    waitingPerAccount.release(1, account)
    throw tooMany()
  }

  function leaveQueue(waiter: Waiter) {
    const { account } = waiter
    const queue = queues.get(account)
    queue?.delete(waiter)
    if (queue?.size === 0) queues.delete(account)
    waiting.release()
    waitingPerAccount.release(1, account)
  }

  /** Moves an account behind all others, because it had its turn. */
  function moveToEnd(account: string) {
    const queue = queues.get(account)
    if (!queue) return
    queues.delete(account)
    queues.set(account, queue)
  }

  return {
    moveToEnd,
    async wait(account: string, signal?: AbortSignal) {
      if (signal?.aborted) throw tooMany()
      joinQueue(account)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      /** Leaves the queue, and removes the timer and the listener, so that a wait cannot end twice. */
      const endWait = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        leaveQueue(waiter)
      }
      const giveUp = () => {
        endWait()
        reject(tooMany())
      }
      const waiter: Waiter = {
        account,
        admit() {
          endWait()
          resolve()
        },
      }
      const timer = setTimeout(() => {
        waiting.recordRejection()
        giveUp()
      }, waitMillisecondsMax)
      signal?.addEventListener('abort', giveUp)
      queues.set(account, (queues.get(account) ?? new Set()).add(waiter))
      await promise
    },
    /** Takes a slot for the first waiter that can get one, and admits it. */
    admitNext(enter: (account: string) => boolean): void {
      for (const [account, queue] of queues) {
        const [waiter] = queue
        if (!waiter || !enter(account)) continue
        moveToEnd(account)
        waiter.admit()
        return
      }
    },
  }
}

const tooMany = () =>
  overloaded('Too many of these requests are in progress. Please try again later.', { retryAfterSeconds })
