/** The server, or the path to it, has been silent for too long. The code marks it as a lost connection. */
export class SilentStoreError extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The store did not answer in time.')
    this.name = 'SilentStoreError'
  }
}

/**
 * Only the client can notice that a server has stopped answering. `endsAt` is on the clock of
 * `performance.now()`; `giveUp` ends the pending work, or releases what it still brings.
 */
export async function inTime<Result>(
  endsAt: number,
  work: Promise<Result>,
  giveUp: () => unknown = () => undefined,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => {
      giveUp()
      reject(new SilentStoreError())
    },
    Math.max(0, endsAt - performance.now()),
  )
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits between attempts; together they outlast a restart of the database on the same machine. */
const waitsMilliseconds = [10, 40, 160, 640]

/** The time limit of several attempts, on the clock of `performance.now()`. */
interface Limited {
  readonly endsAt: number
}

/** Retries as long as the failure may pass and there is time left, up to four times. */
export async function retried<Result, Limit extends Limited>(
  limit: Limit,
  attempt: () => Promise<Result>,
  mayPass: (error: unknown, limit: Limit) => boolean,
): Promise<Result> {
  for (const wait of waitsMilliseconds) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayPass(error, limit) || performance.now() + wait > limit.endsAt) throw error
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
  }
  return attempt()
}

export interface TimeLimits {
  /**
   * After this time a silent store is given up. It bounds everything that one call of the store waits for.
   */
  readonly answerMilliseconds: number
  /** After this time the server itself stops a statement, so its caller knows that nothing was done. */
  readonly statementMilliseconds: number
}

/** The server's error needs time to arrive. */
const timesOfStatement = 8 / 7

/** A caller is answered within ten seconds, whatever happens; two of them are left for everything else. */
const requestMilliseconds = 8000

export const limitsOfRequests = (answerMilliseconds = requestMilliseconds): TimeLimits => ({
  answerMilliseconds,
  statementMilliseconds: Math.floor(answerMilliseconds / timesOfStatement),
})

/** No caller waits for background work such as maintenance, whose statements delete thousands of rows. */
export const limitsOfUpkeep: TimeLimits = { answerMilliseconds: 32_000, statementMilliseconds: 30_000 }
