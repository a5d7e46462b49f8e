/** Limits how much of a resource one holder may use at once. */
export interface BudgetLimit {
  readonly max: number
  /**
   * If set, the limit is a rate: this much is released each second. Otherwise work releases its share when it
   * ends.
   */
  readonly perSecond?: number
  /** Each holder of this kind has a limit of its own. */
  readonly per: 'request' | 'connection' | 'address' | 'account' | 'host' | 'process'
  readonly of:
    | 'addresses'
    | 'bytes'
    | 'codes'
    | 'connections'
    | 'hashes'
    | 'lines'
    | 'mails'
    | 'requests'
    | 'statements'
    | 'streams'
}

/** Counts what is in use. Work takes its share before it begins, and releases it when it has ended. */
export interface Budget {
  readonly max: number
  /** Returns whether the amount was granted. If it does not fit, the rejection is counted. */
  take(amount?: number, holder?: unknown): boolean
  /** Called exactly once for each amount that was granted. */
  release(amount?: number, holder?: unknown): void
  /** Counts a rejection that another place decided by the same limit. */
  recordRejection(): void
  used(holder?: unknown): number
}

export interface BudgetState extends BudgetLimit {
  readonly name: string
  /** The amount of the largest holder, where each has a budget of its own. */
  readonly used: number
  readonly rejected: number
}

/** The budgets of one process, by name. */
export interface Budgets<Name extends string> {
  budget(name: Name): Budget
  /** The states of the budgets that were requested by name. */
  states(): BudgetState[]
}

export function createBudgets<Name extends string>(
  limits: Readonly<Record<Name, BudgetLimit>>,
  now?: () => number,
): Budgets<Name> {
  const budgets = new Map<Name, CountedBudget>()
  return {
    budget(name) {
      const budget = budgets.get(name) ?? openBudget(limits[name], now)
      budgets.set(name, budget)
      return budget
    },
    states: () =>
      [...budgets].map(([name, budget]) => ({
        name,
        ...limits[name],
        used: budget.largestUse(),
        rejected: budget.rejected(),
      })),
  }
}

const openBudget = ({ max, perSecond }: BudgetLimit, now?: () => number): CountedBudget =>
  perSecond === undefined ? createBudget(max) : createRate({ max, perSecond, now })

interface CountedBudget extends Budget {
  largestUse(): number
  rejected(): number
}

/** The holder that all callers share if they pass none. */
const sharedHolder = Symbol('shared')

export function createBudget(max: number): CountedBudget {
  // Holders of nothing are removed, so that they cannot pile up.
  const held = new Map<unknown, number>()
  let rejected = 0
  const used = (holder: unknown = sharedHolder) => held.get(holder) ?? 0
  return {
    max,
    used,
    largestUse() {
      let most = 0
      for (const amount of held.values()) most = Math.max(most, amount)
      return most
    },
    rejected: () => rejected,
    recordRejection() {
      rejected += 1
    },
    take(amount = 1, holder = sharedHolder) {
      const total = used(holder) + amount
      if (total > max) {
        rejected += 1
        return false
      }
      held.set(holder, total)
      return true
    },
    release(amount = 1, holder = sharedHolder) {
      const remaining = used(holder) - amount
      if (remaining < 0) throw new Error('More was released than was taken.')
      if (remaining === 0) held.delete(holder)
      else held.set(holder, remaining)
    },
  }
}

export interface Rate {
  /** The most that may be taken at once. */
  readonly max: number
  readonly perSecond: number
  /** A monotonic clock, in milliseconds. */
  readonly now?: (() => number) | undefined
}

/** A budget that refills by itself. A released amount counts as never taken. */
export function createRate({ max, perSecond, now = () => performance.now() }: Rate): CountedBudget {
  /** Ordered by the time at which each holder last took something. */
  const held = new Map<unknown, Usage>()
  let rejected = 0
  const currentAmount = ({ amount, at }: Usage) => Math.max(0, amount - ((now() - at) / 1000) * perSecond)
  const used = (holder: unknown = sharedHolder) => {
    const usage = held.get(holder)
    return usage === undefined ? 0 : currentAmount(usage)
  }
  const setUsage = (holder: unknown, amount: number) => {
    held.delete(holder)
    if (amount > 0) held.set(holder, { amount, at: now() })
  }
  const dropOldest = () => {
    for (const [holder, usage] of held) {
      if (held.size <= rateHoldersMax && currentAmount(usage) > 0) return
      held.delete(holder)
    }
  }
  return {
    max,
    used,
    largestUse() {
      let most = 0
      for (const usage of held.values()) most = Math.max(most, currentAmount(usage))
      return Math.ceil(most)
    },
    rejected: () => rejected,
    recordRejection() {
      rejected += 1
    },
    take(amount = 1, holder = sharedHolder) {
      const total = used(holder) + amount
      if (total > max) {
        rejected += 1
        return false
      }
      setUsage(holder, total)
      dropOldest()
      return true
    },
    release(amount = 1, holder = sharedHolder) {
      setUsage(holder, used(holder) - amount)
    },
  }
}

interface Usage {
  readonly amount: number
  readonly at: number
}

/** This many holders take some megabytes. Beyond that, a new holder replaces the least recently active one. */
const rateHoldersMax = 100_000

/** One of several budgets that are taken together. */
export interface BudgetShare {
  readonly budget: Budget
  readonly holder?: unknown
}

export const hasRoom = ({ budget, holder }: BudgetShare): boolean => budget.used(holder) + 1 <= budget.max

/** Takes the amount from all budgets, or from none. */
export function takeAll(shares: readonly BudgetShare[], amount = 1): boolean {
  const firstFull = shares.findIndex(({ budget, holder }) => !budget.take(amount, holder))
  if (firstFull === -1) return true
  releaseAll(shares.slice(0, firstFull), amount)
  return false
}

export function releaseAll(shares: readonly BudgetShare[], amount = 1): void {
  if (amount === 0) return
  for (const { budget, holder } of shares) budget.release(amount, holder)
}
