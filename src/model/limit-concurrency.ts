import { type Budget, createBudget } from './budget.ts'
import { busy } from './problem.ts'

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

/** Runs the work of one key sequentially; different keys do not wait for each other. */
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
