import type pg from 'pg'
import { contended, uncertain } from '../model/problem.ts'
import { isConflict, isLostConnection, isRefusedByServer } from './failures.ts'
import type { Lend } from './lend-connections.ts'
import { answered } from './pooled-connections.ts'
import type { Queries } from './queries.ts'
import { retried } from './retry.ts'
import type { Sql } from './sql.ts'
import type { Waiting } from './statement-times.ts'

/**
 * A connection that has been silent is asked first: what was sent to a store that hangs might be done when it goes on, and its caller
 * would not know.
 */
export async function runSingle<Row>(
  lend: Lend,
  waiting: Waiting,
  run: (client: pg.PoolClient) => Promise<Row[]>,
): Promise<Row[]> {
  const { client, isSilent, giveBack } = await lend(waiting)
  let failure: unknown
  let isSent = false
  try {
    if (isSilent) await answered(client, waiting.endsAt, client.query(''))
    isSent = true
    return await answered(client, waiting.endsAt, run(client))
  } catch (error) {
    failure = error
    throw isSent && isLostConnection(error) && !isRefusedByServer(error) ? unknownOutcome(error) : error
  } finally {
    giveBack(failure)
  }
}

export interface Steps<Result> {
  begin(client: pg.PoolClient): Promise<unknown>
  send<Row>(client: pg.PoolClient, statement: Sql): Promise<Row[]>
  work(transaction: Queries): Promise<Result>
}

export async function runTransaction<Result>(
  lend: Lend,
  waiting: Waiting,
  { begin, send, work }: Steps<Result>,
): Promise<Result> {
  const { client, giveBack } = await lend(waiting)
  let failure: unknown
  let isCommitting = false
  try {
    // Not awaited here: it is sent with the first statement, in one packet.
    const begun = answered(client, waiting.endsAt, begin(client))
    const [result] = await Promise.all([work({ query: (statement) => send(client, statement) }), begun])
    waiting.renew()
    isCommitting = true
    await answered(client, waiting.endsAt, client.query('commit'))
    return result
  } catch (error) {
    failure = error
    // The outcome is unknown, so the transaction must never be repeated automatically.
    if (isCommitting && !isConflict(error)) throw unknownOutcome(error)
    failure = (await rolledBack(client)) ?? error
    throw error
  } finally {
    giveBack(failure)
  }
}

/** One that takes longer is undone by cutting the connection, because its caller may have waited for a silent store already. */
export const rollbackMillisecondsMax = 1000

/** What went wrong with it. */
const rolledBack = (client: pg.PoolClient): Promise<unknown> =>
  answered(client, performance.now() + rollbackMillisecondsMax, client.query('rollback')).then(
    () => undefined,
    (error: unknown) => error,
  )

const unknownOutcome = (error: unknown) =>
  uncertain(new Error('The outcome of a commit is unknown.', { cause: error }))

export async function retriedTransaction<Result>(
  waiting: Waiting,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const mayPass = (error: unknown) => {
    if (isConflict(error)) waiting.renew()
    return isConflict(error) || (isLostConnection(error) && performance.now() < waiting.endsAt)
  }
  try {
    return await retried(mayPass, attempt)
  } catch (error) {
    throw isConflict(error) ? contended() : error
  }
}
