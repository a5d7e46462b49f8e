import { createBudget } from '../model/budget.ts'
import { createGate, type Gate } from './gate.ts'

/** One after the other for each key; different keys do not wait for each other. */
export type Turns = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

export interface TurnsOptions {
  readonly waitingMax: number
  readonly retryAfterSeconds: number
}

export function createTurns({ waitingMax, retryAfterSeconds }: TurnsOptions): Turns {
  const gateForOne = () =>
    createGate({ atOnce: createBudget(1), waiting: createBudget(waitingMax), retryAfterSeconds })
  const lines = new Map<string, { readonly gate: Gate; length: number }>()
  return async (key, work) => {
    const line = lines.get(key) ?? { gate: gateForOne(), length: 0 }
    lines.set(key, line)
    line.length += 1
    try {
      return await line.gate(work)
    } finally {
      line.length -= 1
      if (line.length === 0) lines.delete(key)
    }
  }
}
