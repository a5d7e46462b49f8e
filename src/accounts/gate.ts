import type { Budget } from '../model/budget.ts'
import { busy } from '../model/problem.ts'

/** Lets work through a few at a time, in the order in which it came; whoever finds the waiting room full is refused. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>

export interface GateOptions {
  readonly atOnce: Budget
  readonly waiting: Budget
  /** What a refused caller is told. */
  readonly retryAfterSeconds: number
}

export function createGate({ atOnce, waiting, retryAfterSeconds }: GateOptions): Gate {
  const inLine: (() => void)[] = []
  const enter = async () => {
    // Asked first: whoever has to wait is not refused yet.
    if (atOnce.used() < atOnce.max) return void atOnce.take()
    if (!waiting.take()) throw busy(retryAfterSeconds)
    await new Promise<void>((resolve) => inLine.push(resolve))
    waiting.giveBack()
  }
  // The place goes straight to the next in line, so nobody who comes later can take it.
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
