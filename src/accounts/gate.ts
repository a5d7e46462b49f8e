import { busy } from '../model/problem.ts'

/** Lets work through a few at a time, in the order in which it came; whoever finds the waiting room full is refused. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>

export interface GateOptions {
  readonly atOnceMax: number
  readonly waitingMax: number
  /** What a refused caller is told. */
  readonly retryAfterSeconds: number
}

export function createGate({ atOnceMax, waitingMax, retryAfterSeconds }: GateOptions): Gate {
  const waiting: (() => void)[] = []
  let running = 0
  const enter = async () => {
    if (running < atOnceMax) {
      running += 1
      return
    }
    if (waiting.length >= waitingMax) throw busy(retryAfterSeconds)
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  // The place goes straight to the next in line, so nobody who comes later can take it.
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
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
