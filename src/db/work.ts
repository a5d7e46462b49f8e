import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem } from '../model/problem.ts'

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
  isOver: boolean
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
  isOver: false,
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
        work.isOver = true
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
      return work?.isOver ? undefined : work
    },
  }
}
