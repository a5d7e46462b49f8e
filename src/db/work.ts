import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem } from '../model/problem.ts'

/** A request or a command, while it is worked on: what the store does meanwhile is counted for it. */
export interface Work {
  /** Such as `ListProjects`. */
  readonly operation: string
  readonly host: string
  /** The `traceparent` header of its caller, unread: https://www.w3.org/TR/trace-context/ */
  readonly traceparent: unknown
  readonly startedAt: number
  /** Whose it is: an account, or the address of somebody who has not signed in. Nobody's is what the program does by itself. */
  holder: string | undefined
  /** Connections that it writes by at this moment. */
  connections: number
  /** The time of the store itself, without the waiting. */
  storeSeconds: number
  /** The time spent waiting in a queue, or for a connection to the store. */
  waitSeconds: number
  /** Something that it wrote is there to stay. */
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
  /** What `run` does, and whatever follows from it, is a part of the work until that is over. */
  during<Result>(work: Work, run: () => Result): Result
  /** The same; with it the work is over. */
  complete<Result>(work: Work, run: () => Promise<Result>): Promise<Result>
  /** Calls back when a work is over. */
  onWork(listener: WorkListener): void
  /** From now on what is sent elsewhere carries `traceparentOf` of the work that sends it. */
  traceBy(traceparentOf: (work: Work) => string): void
  /** The headers by which a request of this work goes on with its trace; none while nobody traces. */
  traceHeaders(work: Work): Readonly<Record<string, string>>
  /** Nothing outside of requests and commands, such as in what is done now and then. */
  current(): Work | undefined
}

/**
 * The one place where something is known without being passed on: every access rule, verb and query lies between a request and
 * its statements, and none of them has a use for the request's name, or for who waits for a connection.
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
        // A refusal is an answer too.
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
      // What a request has started for everybody, such as the watching of changes, goes on without it.
      return work?.isOver ? undefined : work
    },
  }
}
