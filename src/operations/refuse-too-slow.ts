import { overloaded } from '../model/problem.ts'
import { StatementTooSlow } from '../store/limited-reads.ts'

export interface Slowness {
  /** What took so long, as a sentence begins: The list of projects. */
  readonly what: string
  /** What its caller can do about it. */
  readonly advice: string
  /** The part of the request that makes it slow, where it is one. */
  readonly key?: string
}

const retryAfterSeconds = 5

/** What takes too long is refused with what its caller can do about it. */
export async function refuseTooSlow<Result>({ what, advice, key }: Slowness, read: () => Promise<Result>) {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof StatementTooSlow)) throw error
    const message = `${what} took longer than ${error.seconds} seconds and was stopped. ${advice}`
    throw overloaded(message, { retryAfterSeconds, ...(key && { errors: { [key]: [message] } }) })
  }
}
