/** How much may be held or in progress at once, for whom, and of what. */
export interface BudgetLimit {
  readonly max: number
  /** Makes it a rate: this much becomes free again each second. Otherwise it is released when the work has ended. */
  readonly perSecond?: number
  /** Each holder of this kind has a limit of its own. */
  readonly per: 'request' | 'connection' | 'address' | 'account' | 'host' | 'process'
  readonly of: 'bytes' | 'connections' | 'hashes' | 'lines' | 'requests' | 'statements' | 'streams'
}

/** Counts what is held or in progress. Work takes its share before it begins, and releases it when it has ended. */
export interface Budget {
  readonly max: number
  /** Returns whether the amount was granted. If it does not fit, the rejection is counted. */
  take(amount?: number, holder?: unknown): boolean
  /** Called exactly once for each amount that was granted. */
  release(amount?: number, holder?: unknown): void
  /** Counts a rejection that was decided elsewhere by the same number. */
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
  const counted = new Map<Name, CountedBudget>()
  return {
    budget(name) {
      const known = counted.get(name) ?? openBudget(limits[name], now)
      counted.set(name, known)
      return known
    },
    states: () =>
      [...counted].map(([name, budget]) => ({
        name,
        ...limits[name],
        used: budget.usedMost(),
        rejected: budget.rejected(),
      })),
  }
}

const openBudget = ({ max, perSecond }: BudgetLimit, now?: () => number): CountedBudget =>
  perSecond === undefined ? createBudget(max) : createRate({ max, perSecond, now })

interface CountedBudget extends Budget {
  usedMost(): number
  rejected(): number
}

/** The holder of amounts that are not counted for one holder in particular. */
const anyHolder = Symbol('everybody')

export function createBudget(max: number): CountedBudget {
  // Holders of nothing are removed, so that they cannot pile up.
  const held = new Map<unknown, number>()
  let rejected = 0
  const used = (holder: unknown = anyHolder) => held.get(holder) ?? 0
  return {
    max,
    used,
    usedMost() {
      let most = 0
      for (const amount of held.values()) most = Math.max(most, amount)
      return most
    },
    rejected: () => rejected,
    recordRejection() {
      rejected += 1
    },
    take(amount = 1, holder = anyHolder) {
      const wanted = used(holder) + amount
      if (wanted > max) {
        rejected += 1
        return false
      }
      held.set(holder, wanted)
      return true
    },
    release(amount = 1, holder = anyHolder) {
      const left = used(holder) - amount
      if (left < 0) throw new Error('More was released than was taken.')
      if (left === 0) held.delete(holder)
      else held.set(holder, left)
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
  const held = new Map<unknown, Taken>()
  let rejected = 0
  const left = ({ amount, at }: Taken) => Math.max(0, amount - ((now() - at) / 1000) * perSecond)
  const used = (holder: unknown = anyHolder) => {
    const taken = held.get(holder)
    return taken === undefined ? 0 : left(taken)
  }
  const hold = (holder: unknown, amount: number) => {
    held.delete(holder)
    if (amount > 0) held.set(holder, { amount, at: now() })
  }
  const dropOldest = () => {
    for (const [holder, taken] of held) {
      if (held.size <= rateHoldersMax && left(taken) > 0) return
      held.delete(holder)
    }
  }
  return {
    max,
    used,
    usedMost() {
      let most = 0
      for (const taken of held.values()) most = Math.max(most, left(taken))
      return Math.ceil(most)
    },
    rejected: () => rejected,
    recordRejection() {
      rejected += 1
    },
    take(amount = 1, holder = anyHolder) {
      const wanted = used(holder) + amount
      if (wanted > max) {
        rejected += 1
        return false
      }
      hold(holder, wanted)
      dropOldest()
      return true
    },
    release(amount = 1, holder = anyHolder) {
      hold(holder, used(holder) - amount)
    },
  }
}

interface Taken {
  readonly amount: number
  readonly at: number
}

/** Takes some megabytes; the least recently active holder is dropped for a new one. */
const rateHoldersMax = 100_000

/** One of several budgets that are taken together. */
export interface Part {
  readonly budget: Budget
  readonly holder?: unknown
}

export const hasRoom = ({ budget, holder }: Part): boolean => budget.used(holder) + 1 <= budget.max

/** Takes from all of them, or from none. */
export function takeAll(parts: readonly Part[], amount = 1): boolean {
  const missing = parts.findIndex(({ budget, holder }) => !budget.take(amount, holder))
  if (missing === -1) return true
  releaseAll(parts.slice(0, missing), amount)
  return false
}

export function releaseAll(parts: readonly Part[], amount = 1): void {
  if (amount === 0) return
  for (const { budget, holder } of parts) budget.release(amount, holder)
}
