import type { TimeLimits } from './in-time.ts'
import { render, type Sql } from './sql.ts'
import type { Work, Works } from './work.ts'

/** `in transaction` marks the statements of a `transaction`, whose time includes theirs. */
export type StatementKind = 'read' | 'list' | 'live list' | 'write' | 'transaction' | 'in transaction'

export interface EndedStatement {
  readonly kind: StatementKind
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
  /** From the call to the answer, including waits and retries. */
  readonly seconds: number
  /** The part of it that was spent waiting in a queue or for a connection. */
  readonly waitSeconds: number
  readonly isFailed: boolean
  /** Undefined outside of requests and commands. */
  readonly work: Work | undefined
  /** Excludes parameter values; undefined for a transaction, which is many statements. */
  text(): string | undefined
}

export type StatementListener = (statement: EndedStatement) => void

/** The state of one call while it is in progress. */
export interface Waiting {
  /** Counts as waiting from now until the returned function is called. */
  begin(): () => void
  /** The time at which a silent store is given up, on the clock of `performance.now()`. */
  endsAt: number
  /** Restarts the time limit, because the store has answered. */
  renew(): void
}

export interface Asked {
  readonly kind: StatementKind
  /** May be set later, while the call runs. */
  readonly statement?: Sql | undefined
  /** The limits of a request unless others are given. */
  readonly limits?: TimeLimits
}

/** Runs a call of the store within its time limit. */
export type Call = <Result>(asked: Asked, run: (waiting: Waiting) => Promise<Result>) => Promise<Result>

/** Measures how long statements take, including those that fail. */
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
