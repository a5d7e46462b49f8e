import { AsyncLocalStorage } from 'node:async_hooks'
import { contended, Problem } from '../model/problem.ts'
import { convertUnavailable, isConflict, retry, type TimeLimits } from './failures.ts'
import { render, type Sql } from './sql.ts'

/** A request or command in progress. Its statements are attributed to it. */
export interface Work {
  /** The name of the operation, such as `ListProjects`. */
  readonly operation: string
  readonly host: string
  /** The `traceparent` header of the caller (https://www.w3.org/TR/trace-context/). */
  readonly traceparent: unknown
  readonly startedAt: number
  /** The account, or the address of a client without a session. Undefined for background work. */
  holder: string | undefined
  /** The number of connections on which it is writing. */
  connections: number
  /** The time that the database has needed. */
  storeSeconds: number
  /** The time spent in queues and waiting for a connection. */
  waitSeconds: number
  /** True after any of its writes was committed. */
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
  /** Attributes everything that `run` does to the work, until the work ends. */
  during<Result>(work: Work, run: () => Result): Result
  /** Runs in the same way, and ends the work afterwards. */
  complete<Result>(work: Work, run: () => Promise<Result>): Promise<Result>
  /** Calls the listener when work has ended. */
  onWork(listener: WorkListener): void
  /** Sets the `traceparent` of outgoing requests. */
  traceBy(traceparentOf: (work: Work) => string): void
  /** Returns the headers that continue the trace in an outgoing request. */
  traceHeaders(work: Work): Readonly<Record<string, string>>
  /** Returns undefined outside of requests and commands. */
  current(): Work | undefined
}

/**
 * Creates the only implicit context of the program. Measurements and queues need to know the request of a
 * statement. The access rules, verbs and queries between them do not.
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
        // A problem is not a failure of the host.
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
      // Shared work that a request has started continues after the request.
      return work?.isDone ? undefined : work
    },
  }
}

/** `in transaction` is a statement of a `transaction`. */
export type StatementKind = 'read' | 'list' | 'live list' | 'write' | 'transaction' | 'in transaction'

export interface EndedStatement {
  readonly kind: StatementKind
  /** A time of `performance.now()`. */
  readonly startedAt: number
  /** Includes waits and retries. */
  readonly seconds: number
  /** The time spent in queues and waiting for a connection. */
  readonly waitSeconds: number
  readonly isFailed: boolean
  /** Undefined outside of requests and commands. */
  readonly work: Work | undefined
  /** The text without parameter values. Undefined for a transaction. */
  text(): string | undefined
}

export type StatementListener = (statement: EndedStatement) => void

/** The state of a call of the store that is in progress. */
export interface CallState {
  /** The time spent in queues and waiting for a connection. */
  waitSeconds: number
  /** The call fails at this time of `performance.now()` if the database does not answer. */
  endsAt: number
  /** Restarts the time limit after an answer. */
  renew(): void
}

export interface CallOptions {
  readonly kind: StatementKind
  /** May be set while the call runs. */
  readonly statement?: Sql | undefined
  /** The default is the limits of a request. */
  readonly limits?: TimeLimits
  /** Returns whether to run the call again after this error. By default, it runs once. */
  readonly isTransient?: (error: unknown, state: CallState) => boolean
}

/** Runs a call of the store within its time limit. */
export type Call = <Result>(
  options: CallOptions,
  run: (state: CallState) => Promise<Result>,
) => Promise<Result>

/** Runs calls of the store within their time limit, measures them, and converts their errors to problems. */
export function createStoreCalls(current: WorkContext['current'], requestLimits: TimeLimits) {
  const listeners: StatementListener[] = []
  return {
    onStatement: (listener: StatementListener) => void listeners.push(listener),
    async call<Result>(options: CallOptions, run: (state: CallState) => Promise<Result>): Promise<Result> {
      const { kind, limits = requestLimits, isTransient } = options
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
        const result = await (isTransient ? retry(state, run, isTransient) : run(state))
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

/** A transaction handles the errors of its statements. */
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
