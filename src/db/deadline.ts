/** The server or the network has not answered in time. `isLostConnection` recognizes the `code`. */
export class SilentStoreError extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The store did not answer in time.')
    this.name = 'SilentStoreError'
  }
}

/**
 * Rejects with `SilentStoreError` at `endsAt`, a time of `performance.now()`: only the client can notice that
 * a server does not answer. `giveUp` is called then, to end the work or to release its later result.
 */
export async function withDeadline<Result>(
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
  // The caller no longer waits after the deadline, so a late rejection must not end the process.
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The waits between attempts. Together they outlast a restart of the database on the same machine. */
const waitsMilliseconds = [10, 40, 160, 640]

/** The end of all attempts together, as a time of `performance.now()`. */
interface Deadline {
  readonly endsAt: number
}

/** Retries after transient errors, up to four times and as long as there is time left. */
export async function retry<Result, Limit extends Deadline>(
  limit: Limit,
  attempt: () => Promise<Result>,
  isTransient: (error: unknown, limit: Limit) => boolean,
): Promise<Result> {
  for (const wait of waitsMilliseconds) {
    try {
      return await attempt()
    } catch (error) {
      if (!isTransient(error, limit) || performance.now() + wait > limit.endsAt) throw error
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
  }
  return attempt()
}

export interface TimeLimits {
  /** Limits all waits of one call of the store. */
  readonly answerMilliseconds: number
  /** After this time, the server stops a statement, so that its caller knows that nothing was done. */
  readonly statementMilliseconds: number
}

/** The client waits longer than the server, whose error about its time limit still has to arrive. */
const answerToStatementRatio = 8 / 7

/** Clients are promised an answer within ten seconds. This leaves two seconds for everything else. */
const requestMilliseconds = 8000

export const requestLimits = (answerMilliseconds = requestMilliseconds): TimeLimits => ({
  answerMilliseconds,
  statementMilliseconds: Math.floor(answerMilliseconds / answerToStatementRatio),
})

/** Maintenance deletes thousands of rows per statement, and no caller waits for it. */
export const maintenanceLimits: TimeLimits = { answerMilliseconds: 32_000, statementMilliseconds: 30_000 }
