import { overloaded } from '../model/problem.ts'
import { isLostConnection, isOutOfRoom, isTimedOut } from './failures.ts'

const retryAfterSeconds = 5

/**
 * The store could not be reached, has no room, or stopped a statement at its time limit, such as a write that waited for a row
 * that somebody else holds: for no fault of the caller, and nothing was done, so that trying again is safe. A commit whose
 * outcome is unknown is none of these.
 */
export async function refuseUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isLostConnection(error) && !isOutOfRoom(error) && !isTimedOut(error)) throw error
    throw overloaded('The store is not available, and nothing was done. Please try again later.', {
      retryAfterSeconds,
      cause: error,
    })
  }
}
