import { busy } from './problem.ts'

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
  /**
   * Called once for each granted amount, unless the budget is a rate: a rate refills by itself, and a release
   * takes the amount back as if it was never used.
   */
  release(amount?: number, holder?: unknown): void
  /** Counts a rejection by this limit that happened outside of `take`. */
  recordRejection(): void
  used(holder?: unknown): number
}

export interface BudgetState extends BudgetLimit {
  readonly name: string
  /** The amount of the largest holder, where each has a budget of its own. */
  readonly used: number
  readonly rejected: number
}

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
      const total = (held.get(holder) ?? 0) + amount
      if (total > max) {
        rejected += 1
        return false
      }
      held.set(holder, total)
      return true
    },
    release(amount = 1, holder = sharedHolder) {
      const remaining = (held.get(holder) ?? 0) - amount
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
  /** Ordered by the time at which each holder last took or released something. */
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
  /** Drops the oldest holders, while they have nothing in use or there are too many holders. */
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

/** Runs a limited number of tasks at a time, in order of arrival. Rejects a task if the queue is full. */
export type RunLimited = <Result>(work: () => Promise<Result>) => Promise<Result>

export interface ConcurrencyLimits {
  readonly atOnce: Budget
  readonly waiting: Budget
  /** Reported with the rejection as `Retry-After`. */
  readonly retryAfterSeconds: number
}

export function limitConcurrency({ atOnce, waiting, retryAfterSeconds }: ConcurrencyLimits): RunLimited {
  const queue: (() => void)[] = []
  const enter = async () => {
    // Checked before taking: work that has to wait is not rejected yet and must not be counted as rejected.
    if (atOnce.used() < atOnce.max) return void atOnce.take()
    if (!waiting.take()) throw busy(retryAfterSeconds)
    await new Promise<void>((resolve) => queue.push(resolve))
    waiting.release()
  }
  // Finished work hands its permit to the next waiter, so later arrivals cannot take it.
  const leave = () => {
    const next = queue.shift()
    if (next) next()
    else atOnce.release()
  }
  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

/** Runs the work of each key sequentially. */
export type OneAtATime = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

export interface OneAtATimeOptions {
  readonly waitingMax: number
  readonly retryAfterSeconds: number
}

export function oneAtATime({ waitingMax, retryAfterSeconds }: OneAtATimeOptions): OneAtATime {
  const limitToOne = () =>
    limitConcurrency({ atOnce: createBudget(1), waiting: createBudget(waitingMax), retryAfterSeconds })
  const queues = new Map<string, { readonly runLimited: RunLimited; length: number }>()
  return async (key, work) => {
    const queue = queues.get(key) ?? { runLimited: limitToOne(), length: 0 }
    queues.set(key, queue)
    queue.length += 1
    try {
      return await queue.runLimited(work)
    } finally {
      queue.length -= 1
      if (queue.length === 0) queues.delete(key)
    }
  }
}

/** The methods of a log that are used here, as pino has them. */
export interface LogWriter {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** A log for code that writes warnings only. */
export type WarningLog = Pick<LogWriter, 'warn'>

/** Lines of one kind have the same message and, in the security log, the same event and outcome. */
interface LineKind {
  leftOut: number
  /** Writes the newest line that was left out. */
  write?: () => void
  /** Runs while a line has been left out and none was written since. */
  timer?: NodeJS.Timeout | undefined
}

/** After this time without a line, the newest line that was left out is written. */
const pauseMilliseconds = 1000

/**
 * Writes lines while their kind has room in the budget, and counts the others. The next line of the kind that
 * is written reports their number as `leftOut`. If there is none within a second, the newest line that was left
 * out is written. It uses the budget, too, so a flood of any length never writes more than the budget.
 */
export function limitLogLines(logger: LogWriter, budget: Budget): LogWriter {
  const kinds = new Map<string, LineKind>()
  const writeLater = (kind: LineKind) => {
    kind.timer = setTimeout(() => {
      // The line was counted as rejected when it was left out, so it is not counted again.
      if (hasRoom({ budget, holder: kind }) && budget.take(1, kind)) kind.write?.()
      else writeLater(kind)
    }, pauseMilliseconds).unref()
  }
  const writeAs = (level: keyof LogWriter) => (details: object, message: string) => {
    const kind = kindOf(kinds, details, message)
    // The number of lines that were left out before this line.
    const { leftOut } = kind
    const write = () => {
      clearTimeout(kind.timer)
      kind.timer = undefined
      kind.leftOut = 0
      logger[level](leftOut === 0 ? details : { ...details, leftOut }, message)
    }
    if (budget.take(1, kind)) return write()
    kind.leftOut += 1
    kind.write = write
    if (kind.timer === undefined) writeLater(kind)
  }
  return { debug: writeAs('debug'), info: writeAs('info'), warn: writeAs('warn'), error: writeAs('error') }
}

function kindOf(kinds: Map<string, LineKind>, details: object, message: string): LineKind {
  const { security, outcome } = details as { security?: string; outcome?: string }
  const name = [message, security, outcome].join(' ')
  const kind = kinds.get(name) ?? { leftOut: 0 }
  kinds.set(name, kind)
  return kind
}
