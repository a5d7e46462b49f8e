import { AsyncLocalStorage } from 'node:async_hooks'
import { contended, Problem } from '../model/problem.ts'
import { isConflict, rejectionOf } from './failures.ts'
import type { TimeLimits } from './in-time.ts'
import { render, type Sql } from './sql.ts'

/** A request or a command while it is processed. The statements it sends are attributed to it. */
export interface Work {
  /** Such as `ListProjects`. */
  readonly operation: string
  readonly host: string
  /** The `traceparent` header of the caller, unparsed: https://www.w3.org/TR/trace-context/ */
  readonly traceparent: unknown
  readonly startedAt: number
  /** The account, or the address of a client that has not signed in. Undefined for background work. */
  holder: string | undefined
  /** The number of connections that it currently writes on. */
  connections: number
  /** The time spent in the store itself, without waiting. */
  storeSeconds: number
  /** The time spent waiting in a queue, or for a connection to the store. */
  waitSeconds: number
  /** Set once any of its writes is committed. */
  hasCommitted: boolean
  isDone: boolean
}

export const startWork = (operation: string, host: string, traceparent?: unknown): Work => ({
  operation,
  host,
  traceparent,
  startedAt: performance.now(),
  holder: undefined,
  connections: 0,
  storeSeconds: 0,
  waitSeconds: 0,
  hasCommitted: false,
  isDone: false,
})

export type WorkListener = (
  work: Work,
  ended: { readonly seconds: number; readonly isFailed: boolean },
) => void

export interface Works {
  /** Attributes everything that `run` does, and whatever follows from it, to the work until that ends. */
  during<Result>(work: Work, run: () => Result): Result
  /** Runs in the same way, and ends the work. */
  complete<Result>(work: Work, run: () => Promise<Result>): Promise<Result>
  /** Calls back when a work has ended. */
  onWork(listener: WorkListener): void
  /** Makes outgoing requests carry the `traceparentOf` the work that sends them. */
  traceBy(traceparentOf: (work: Work) => string): void
  /** The headers that continue the trace in a request sent by this work; empty without tracing. */
  traceHeaders(work: Work): Readonly<Record<string, string>>
  /** Undefined outside of requests and commands, such as in scheduled work. */
  current(): Work | undefined
}

/**
 * The only implicit context of the program: every access rule, verb and query lies between a request and its
 * statements, and none of them has a use for the name of the request or for the account that waits for a
 * connection.
 */
export function createWorks(): Works {
  const works = new AsyncLocalStorage<Work>()
  const listeners: WorkListener[] = []
  let traceparentOf: ((work: Work) => string) | undefined
  return {
    during: (work, run) => works.run(work, run),
    async complete(work, run) {
      let isFailed = false
      try {
        return await works.run(work, run)
      } catch (error) {
        // A problem is a regular response.
        isFailed = !(error instanceof Problem)
        throw error
      } finally {
        work.isDone = true
        const seconds = (performance.now() - work.startedAt) / 1000
        for (const listener of listeners) listener(work, { seconds, isFailed })
      }
    },
    onWork: (listener) => void listeners.push(listener),
    traceBy(given) {
      traceparentOf = given
    },
    traceHeaders: (work) => (traceparentOf ? { traceparent: traceparentOf(work) } : {}),
    current() {
      const work = works.getStore()
      // Shared work that a request has started, such as watching for changes, continues without it.
      return work?.isDone ? undefined : work
    },
  }
}

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
  /** The time that it has spent waiting in a queue or for a connection. */
  waitSeconds: number
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

/** Measures how long statements take, including those that fail, and reports their failures as problems. */
export function createCalls(current: Works['current'], limitsOfRequest: TimeLimits) {
  const listeners: StatementListener[] = []
  return {
    onStatement: (listener: StatementListener) => void listeners.push(listener),
    async call<Result>(asked: Asked, run: (waiting: Waiting) => Promise<Result>): Promise<Result> {
      const { kind, limits = limitsOfRequest } = asked
      const work = current()
      const startedAt = performance.now()
      let isFailed = true
      const waiting: Waiting = {
        waitSeconds: 0,
        endsAt: startedAt + limits.answerMilliseconds,
        renew() {
          this.endsAt = performance.now() + limits.answerMilliseconds
        },
      }
      try {
        const result = await run(waiting)
        isFailed = false
        return result
      } catch (error) {
        throw problemOf(error, kind, work)
      } finally {
        const seconds = (performance.now() - startedAt) / 1000
        const { waitSeconds } = waiting
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

/** A transaction handles the errors of its own statements. */
function problemOf(error: unknown, kind: StatementKind, work: Work | undefined): unknown {
  if (kind === 'in transaction') return error
  const isWrite = kind === 'write' || kind === 'transaction'
  return isWrite && isConflict(error) ? contended() : rejectionOf(error, work)
}

/** Waits for a place or a connection. */
export async function waited<Result>(waiting: Waiting, coming: Promise<Result>): Promise<Result> {
  const beganAt = performance.now()
  try {
    return await coming
  } finally {
    waiting.waitSeconds += (performance.now() - beganAt) / 1000
  }
}
