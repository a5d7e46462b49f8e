import type { TimeLimits } from './in-time.ts'
import { render, type Sql } from './sql.ts'
import type { Work, Works } from './work.ts'

/** `in transaction` are the statements of a `transaction`, whose time has theirs in it. */
export type StatementKind = 'read' | 'list' | 'live list' | 'write' | 'transaction' | 'in transaction'

export interface EndedStatement {
  readonly kind: StatementKind
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
  /** From asking the store to its answer, waiting and trying again included. */
  readonly seconds: number
  /** Of these, the seconds spent waiting in a queue or for a connection. */
  readonly waitSeconds: number
  readonly isFailed: boolean
  /** Undefined outside of requests and commands. */
  readonly work: Work | undefined
  /** Without parameter values; undefined for a transaction, which is many statements. */
  text(): string | undefined
}

export type StatementListener = (statement: EndedStatement) => void

/** Of what is under way now. */
export interface Waiting {
  /** From now until the returned function is called, it waits. */
  begin(): () => void
  /** When a store that is silent is given up, on the clock of `performance.now()`. */
  endsAt: number
  /** The store has answered, so from now on it has all of its time again. */
  renew(): void
}

export interface Asked {
  readonly kind: StatementKind
  /** May be told later, while it runs. */
  readonly statement?: Sql | undefined
  /** Those of a request unless given. */
  readonly limits?: TimeLimits
}

/** Does something with the store, in the time that it has. */
export type Call = <Result>(asked: Asked, run: (waiting: Waiting) => Promise<Result>) => Promise<Result>

/** Tells how long statements take, the failed ones too. */
export function createTiming(works: Pick<Works, 'current'>, limitsOfRequest: TimeLimits) {
  const listeners: StatementListener[] = []
  return {
    onStatement: (listener: StatementListener) => void listeners.push(listener),
    async timed<Result>(asked: Asked, run: (waiting: Waiting) => Promise<Result>): Promise<Result> {
      const { kind, limits = limitsOfRequest } = asked
      const work = works.current()
      const startedAt = performance.now()
      let waitSeconds = 0
      let isFailed = true
      const begin = () => {
        const beganAt = performance.now()
        return () => {
          waitSeconds += (performance.now() - beganAt) / 1000
        }
      }
      try {
        const result = await run({
          begin,
          endsAt: startedAt + limits.answerMilliseconds,
          renew() {
            this.endsAt = performance.now() + limits.answerMilliseconds
          },
        })
        isFailed = false
        return result
      } finally {
        const seconds = (performance.now() - startedAt) / 1000
        if (work && kind !== 'in transaction') {
          work.storeSeconds += seconds - waitSeconds
          work.waitSeconds += waitSeconds
        }
        const text = () => asked.statement && render(asked.statement).text.replace(/\s+/g, ' ').trim()
        for (const listener of listeners)
          listener({ kind, startedAt, seconds, waitSeconds, isFailed, work, text })
      }
    },
  }
}
