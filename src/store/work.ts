import { AsyncLocalStorage } from 'node:async_hooks'

/** A request or a command, while it is worked on: what the store does meanwhile is counted for it. */
export interface Work {
  /** Such as `ListProjects`. */
  readonly operation: string
  /** Of the store, without the waiting. */
  storeSeconds: number
  /** For a turn, or for a connection to the store. */
  waitSeconds: number
  isOver: boolean
}

export const startWork = (operation: string): Work => ({
  operation,
  storeSeconds: 0,
  waitSeconds: 0,
  isOver: false,
})

export interface Works {
  /** What `run` does, and whatever follows from it, is a part of the work until that is over. */
  during<Result>(work: Work, run: () => Result): Result
  /** The same; with it the work is over. */
  complete<Result>(work: Work, run: () => Promise<Result>): Promise<Result>
  /** Nothing outside of requests and commands, such as in what is done now and then. */
  current(): Work | undefined
}

/**
 * The one place where something is known without being passed on: every access rule, verb and query lies between a request and
 * its statements, and none of them has a use for the request's name.
 */
export function createWorks(): Works {
  const works = new AsyncLocalStorage<Work>()
  return {
    during: (work, run) => works.run(work, run),
    async complete(work, run) {
      try {
        return await works.run(work, run)
      } finally {
        work.isOver = true
      }
    },
    current() {
      const work = works.getStore()
      // What a request has started for everybody, such as the watching of changes, goes on without it.
      return work?.isOver ? undefined : work
    },
  }
}
