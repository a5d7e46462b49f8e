import { AsyncLocalStorage } from 'node:async_hooks'
import { contended, Problem } from '../model/problem.ts'
import { convertUnavailable, isConflict, type TimeLimits } from './failures.ts'
import { render, type Sql } from './sql.ts'

/** A request or command in progress. The statements it sends are attributed to it. */
export interface Work {
  /** The name of the operation, such as `ListProjects`. */
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
  /** True once any of its writes is committed. */
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

export interface WorkContext {
  /** Attributes everything that `run` does or starts to the work, until the work ends. */
  during<Result>(work: Work, run: () => Result): Result
  /** Runs in the same way, and ends the work. */
  complete<Result>(work: Work, run: () => Promise<Result>): Promise<Result>
  /** Calls the listener when any work has ended. */
  onWork(listener: WorkListener): void
  /** Makes outgoing requests carry the `traceparentOf` the work that sends them. */
  traceBy(traceparentOf: (work: Work) => string): void
  /** The headers that continue the trace in a request sent by this work; empty without tracing. */
  traceHeaders(work: Work): Readonly<Record<string, string>>
  /** Undefined outside of requests and commands, such as in scheduled work. */
  current(): Work | undefined
}

/**
 * The only implicit context of the program. Measurements and connection queues need to know the request of a
 * statement, but the access rules, verbs and queries between them do not.
 */
export function createWorkContext(): WorkContext {
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
    traceBy(createTraceparent) {
      traceparentOf = createTraceparent
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
  /** The part of `seconds` that was spent waiting in a queue or for a connection. */
  readonly waitSeconds: number
  readonly isFailed: boolean
  /** Undefined outside of requests and commands. */
  readonly work: Work | undefined
  /** Excludes parameter values; undefined for a transaction, which is many statements. */
  text(): string | undefined
}

export type StatementListener = (statement: EndedStatement) => void

/** The state of a call of the store that is in progress. */
export interface CallState {
  /** The time that the call has spent waiting in a queue or for a connection. */
  waitSeconds: number
  /** The time at which the call fails if the store stays silent, on the clock of `performance.now()`. */
  endsAt: number
  /** Restarts the time limit, because the store has answered. */
  renew(): void
}

export interface CallOptions {
  readonly kind: StatementKind
  /** May be set later, while the call runs. */
  readonly statement?: Sql | undefined
  /** The limits of a request unless others are given. */
  readonly limits?: TimeLimits
}

/** Runs a call of the store within its time limit. */
export type Call = <Result>(
  options: CallOptions,
  run: (state: CallState) => Promise<Result>,
) => Promise<Result>

/** Runs calls of the store: within their time limit, measured, and with their failures as problems. */
export function createStoreCalls(current: WorkContext['current'], requestLimits: TimeLimits) {
  const listeners: StatementListener[] = []
  return {
    onStatement: (listener: StatementListener) => void listeners.push(listener),
    async call<Result>(options: CallOptions, run: (state: CallState) => Promise<Result>): Promise<Result> {
      const { kind, limits = requestLimits } = options
      const work = current()
      const startedAt = performance.now()
      let isFailed = true
      const state: CallState = {
        waitSeconds: 0,
        endsAt: startedAt + limits.answerMilliseconds,
        renew() {
          this.endsAt = performance.now() + limits.answerMilliseconds
        },
      }
      try {
        const result = await run(state)
        isFailed = false
        return result
      } catch (error) {
        throw problemOf(error, kind, work)
      } finally {
        const seconds = (performance.now() - startedAt) / 1000
        const { waitSeconds } = state
        if (work && kind !== 'in transaction') {
          work.storeSeconds += seconds - waitSeconds
          work.waitSeconds += waitSeconds
        }
        const text = () => options.statement && render(options.statement).text.replace(/\s+/g, ' ').trim()
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
  return isWrite && isConflict(error) ? contended() : convertUnavailable(error, work)
}

/** Waits for a slot or a connection, and counts the time as waiting. */
export async function measureWait<Result>(state: CallState, pending: Promise<Result>): Promise<Result> {
  const beganAt = performance.now()
  try {
    return await pending
  } finally {
    state.waitSeconds += (performance.now() - beganAt) / 1000
  }
}
