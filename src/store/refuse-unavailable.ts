import { overloaded, uncertain } from '../model/problem.ts'
import { isLostConnection, isOutOfRoom, isTimedOut } from './failures.ts'
import type { Call } from './statement-times.ts'
import type { Work, Works } from './work.ts'

const retryAfterSeconds = 5

/** Does what `call` does; a store that is not available is a refusal. */
export const refusing =
  ({ current }: Pick<Works, 'current'>, call: Call): Call =>
  async (asked, run) => {
    try {
      return await call(asked, run)
    } catch (error) {
      throw refusalOf(error, current())
    }
  }

/**
 * The store could not be reached, did not answer in time, has no room, or stopped a statement at its time limit, such as a write
 * that waited for a row that somebody else holds: for no fault of the caller, and nothing was done, so that trying again is safe.
 * It is not where the request has written something before. A commit whose outcome is unknown is none of these, and stays as it is.
 */
export function refusalOf(error: unknown, work: Work | undefined): unknown {
  if (!isLostConnection(error) && !isOutOfRoom(error) && !isTimedOut(error)) return error
  if (work?.hasCommitted) return uncertain(error)
  return overloaded('The store is not available, and nothing was done. Please try again later.', {
    retryAfterSeconds,
    cause: error,
  })
}
