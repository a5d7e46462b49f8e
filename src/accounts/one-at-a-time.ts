import { createBudget } from '../model/budget.ts'
import { type Limited, limitConcurrency } from './limit-concurrency.ts'

/** Runs the work of one key one piece after the other; different keys do not wait for each other. */
export type OneAtATime = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

export interface OneAtATimeOptions {
  readonly waitingMax: number
  readonly retryAfterSeconds: number
}

export function oneAtATime({ waitingMax, retryAfterSeconds }: OneAtATimeOptions): OneAtATime {
  const limitToOne = () =>
    limitConcurrency({ atOnce: createBudget(1), waiting: createBudget(waitingMax), retryAfterSeconds })
  const lines = new Map<string, { readonly limited: Limited; length: number }>()
  return async (key, work) => {
    const line = lines.get(key) ?? { limited: limitToOne(), length: 0 }
    lines.set(key, line)
    line.length += 1
    try {
      return await line.limited(work)
    } finally {
      line.length -= 1
      if (line.length === 0) lines.delete(key)
    }
  }
}
