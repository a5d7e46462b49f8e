import type { Budget } from '../model/budget.ts'
import { busy, overloaded } from '../model/problem.ts'

/** Runs a few pieces of work at a time, and of no account more than its share, however many it has waiting. */
export type FairQueue = <Result>(account: string, work: () => Promise<Result>) => Promise<Result>

export interface FairQueueOptions extends Waiting {
  readonly atOnce: Budget
  /** Counted per account. */
  readonly atOncePerAccount: Budget
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const places = createPlaces(options)
  return async (account, work) => {
    if (!places.enter(account)) await places.wait(account)
    try {
      return await work()
    } finally {
      places.leave(account)
    }
  }
}

/** The same for work that is not one call. */
export interface Places {
  /** Whether there was a place at once; whoever gets none has to wait. */
  enter(account: string): boolean
  /** Ends when it has entered. */
  wait(account: string): Promise<void>
  /** Exactly once for whatever has entered. */
  leave(account: string): void
}

export function createPlaces({ atOnce, atOncePerAccount, ...waiting }: FairQueueOptions): Places {
  const queues = createQueues(waiting)
  const mayEnter = (account: string) =>
    atOnce.used() < atOnce.max && atOncePerAccount.used(account) < atOncePerAccount.max
  const enter = (account: string) => {
    atOnce.take()
    atOncePerAccount.take(1, account)
  }
  return {
    enter(account) {
      if (!mayEnter(account)) return false
      enter(account)
      return true
    },
    // When the wait ends it is counted as entered already, so that work that comes later cannot overtake it.
    wait: (account) => queues.wait(account),
    leave(account) {
      atOnce.giveBack()
      atOncePerAccount.giveBack(1, account)
      const next = queues.next(mayEnter)
      if (next) {
        enter(next.account)
        next.letIn()
      }
    },
  }
}

/** Enters, and leaves once that is over: for work that is not one call. */
export async function takePlace(turns: FairQueue, account: string, over: Promise<void>): Promise<void> {
  const { promise: entered, resolve, reject } = Promise.withResolvers<void>()
  turns(account, () => {
    resolve()
    return over
  }).catch(reject)
  await entered
}

interface Waiting {
  readonly waiting: Budget
  /** Counted for each account. */
  readonly waitingPerAccount: Budget
  readonly waitMillisecondsMax?: number
}

interface Waiter {
  readonly account: string
  readonly letIn: () => void
}

/** Longer than two of the slowest statements; by then a client has given up or asks again. */
const waitMillisecondsDefault = 6000
/** Told with a refusal: after this time the work that ran has ended. */
const retryAfterSeconds = 5

/** One queue for each account; the accounts are served in rotation. */
function createQueues({
  waiting,
  waitingPerAccount,
  waitMillisecondsMax = waitMillisecondsDefault,
}: Waiting) {
  /** The account that is served next comes first. */
  const queues = new Map<string, Set<Waiter>>()

  function join(account: string) {
    if (!waitingPerAccount.take(1, account)) throw busy(retryAfterSeconds)
    if (waiting.take()) return
    waitingPerAccount.giveBack(1, account)
    throw tooMany()
  }

  function leave(waiter: Waiter) {
    const { account } = waiter
    const queue = queues.get(account)
    queue?.delete(waiter)
    if (queue?.size === 0) queues.delete(account)
    waiting.giveBack()
    waitingPerAccount.giveBack(1, account)
  }

  return {
    async wait(account: string) {
      join(account)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const waiter = { account, letIn: resolve }
      queues.set(account, (queues.get(account) ?? new Set()).add(waiter))
      const timer = setTimeout(() => {
        leave(waiter)
        waiting.noteRefusal()
        reject(tooMany())
      }, waitMillisecondsMax)
      await promise.finally(() => clearTimeout(timer))
    },
    /** Takes out the next waiter that may enter; its account then comes last. */
    next(mayEnter: (account: string) => boolean): Waiter | undefined {
      for (const [account, queue] of queues) {
        const [waiter] = queue
        if (!waiter || !mayEnter(account)) continue
        queues.delete(account)
        queues.set(account, queue)
        leave(waiter)
        return waiter
      }
      return undefined
    },
  }
}

const tooMany = () =>
  overloaded('Too much of this is under way. Please try again later.', { retryAfterSeconds })
