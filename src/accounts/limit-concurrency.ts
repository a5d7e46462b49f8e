import type { Budget } from '../model/budget.ts'
import { busy } from '../model/problem.ts'

/** Runs a few pieces of work at a time, in the order in which they came; refuses more than may wait. */
export type Limited = <Result>(work: () => Promise<Result>) => Promise<Result>

export interface ConcurrencyLimits {
  readonly atOnce: Budget
  readonly waiting: Budget
  /** Told with a refusal: when to try again. */
  readonly retryAfterSeconds: number
}

export function limitConcurrency({ atOnce, waiting, retryAfterSeconds }: ConcurrencyLimits): Limited {
  const inLine: (() => void)[] = []
  const enter = async () => {
    // Looked at first: work that has to wait is not refused yet, and is not counted as refused.
    if (atOnce.used() < atOnce.max) return void atOnce.take()
    if (!waiting.take()) throw busy(retryAfterSeconds)
    await new Promise<void>((resolve) => inLine.push(resolve))
    waiting.giveBack()
  }
  // What ends hands its permission to the next that waits, so work that comes later cannot take it.
  const leave = () => {
    const next = inLine.shift()
    if (next) next()
    else atOnce.giveBack()
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
