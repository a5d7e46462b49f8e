import type { Budget } from '../model/budget.ts'
import { busy, overloaded } from '../model/problem.ts'

/** Lets work through a few at a time, and no account more of it than its share, however much it has waiting. */
export type FairTurns = <Result>(account: string, work: () => Promise<Result>) => Promise<Result>

export interface FairTurnsOptions extends Waiting {
  readonly atOnce: Budget
  /** Counted for each account. */
  readonly atOncePerAccount: Budget
}

export function createFairTurns({ atOnce, atOncePerAccount, ...waiting }: FairTurnsOptions): FairTurns {
  const lines = createLines(waiting)
  const mayEnter = (account: string) =>
    atOnce.used() < atOnce.max && atOncePerAccount.used(account) < atOncePerAccount.max
  const enter = (account: string) => {
    atOnce.take()
    atOncePerAccount.take(1, account)
  }
  return async (account, work) => {
    if (mayEnter(account)) enter(account)
    // Whoever is let in has entered already, so that nobody who comes later takes the place.
    else await lines.wait(account)
    try {
      return await work()
    } finally {
      atOnce.giveBack()
      atOncePerAccount.giveBack(1, account)
      const next = lines.next(mayEnter)
      if (next) {
        enter(next.account)
        next.letIn()
      }
    }
  }
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
/** What a refused caller is told: by then those that ran have ended. */
const retryAfterSeconds = 5

/** One line for each account; the accounts take turns. */
function createLines({ waiting, waitingPerAccount, waitMillisecondsMax = waitMillisecondsDefault }: Waiting) {
  /** In the order of their turns. */
  const lines = new Map<string, Set<Waiter>>()

  function join(account: string) {
    if (!waitingPerAccount.take(1, account)) throw busy(retryAfterSeconds)
    if (waiting.take()) return
    waitingPerAccount.giveBack(1, account)
    throw tooMany()
  }

  function leave(waiter: Waiter) {
    const { account } = waiter
    const line = lines.get(account)
    line?.delete(waiter)
    if (line?.size === 0) lines.delete(account)
    waiting.giveBack()
    waitingPerAccount.giveBack(1, account)
  }

  return {
    async wait(account: string) {
      join(account)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const waiter = { account, letIn: resolve }
      lines.set(account, (lines.get(account) ?? new Set()).add(waiter))
      const timer = setTimeout(() => {
        leave(waiter)
        waiting.noteRefusal()
        reject(tooMany())
      }, waitMillisecondsMax)
      await promise.finally(() => clearTimeout(timer))
    },
    /** Takes the next waiter who may enter out of the line; its account's next one waits until the others had their turns. */
    next(mayEnter: (account: string) => boolean): Waiter | undefined {
      for (const [account, line] of lines) {
        const [waiter] = line
        if (!waiter || !mayEnter(account)) continue
        lines.delete(account)
        lines.set(account, line)
        leave(waiter)
        return waiter
      }
      return undefined
    },
  }
}

const tooMany = () =>
  overloaded('Too much of this is under way. Please try again later.', { retryAfterSeconds })
