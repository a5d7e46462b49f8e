import type pg from 'pg'
import type { Budgets } from '../configuration/budgets.ts'
import { contended } from '../model/problem.ts'
import { ask } from './ask.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Connections } from './connections.ts'
import type { Forms } from './distributed/forms.ts'
import { isConflict, isLostConnection, isRefusedByServer } from './failures.ts'
import { createPlaces } from './fair-queue.ts'
import { type GatheredWrites, gatherWrites } from './gathered-writes.ts'
import { type Lend, lendAny, lendFairly } from './lend-connections.ts'
import type { Prepare } from './prepared-statements.ts'
import type { Queries } from './queries.ts'
import { refuseUnavailable } from './refuse-unavailable.ts'
import { retried } from './retry.ts'
import type { Sql } from './sql.ts'
import type { createTiming, Waiting } from './statement-times.ts'
import type { Works } from './work.ts'

/** Everything that writes, on a pool of its own. */
export interface Transactions {
  /** Statements that write and are a transaction each, in one round trip. */
  readonly single: SingleWrites
  /** Everything `work` does is committed, or none of it. It is run again after a conflict, so it must only write rows. */
  transaction<Result>(work: (transaction: Queries) => Promise<Result>): Promise<Result>
  /** Calls back after each committed transaction of this process. */
  onCommit(listener: () => void): void
  close(): Promise<void>
}

export interface SingleWrites extends Queries {
  /** Within a transaction there is none: what it writes is nobody else's. */
  readonly gathered?: GatheredWrites
}

export interface TransactionOptions
  extends Pick<ReturnType<typeof createTiming>, 'timed'>,
    Pick<Works, 'current'> {
  readonly prepare: Prepare
  readonly limits: ConnectionLimits
  readonly budgets: Budgets
  readonly poolSize: number | undefined
  readonly forms: Forms
}

/**
 * Rows that somebody has locked are passed over; what is left are keys that somebody else is inserting, which a transaction of many
 * rows may keep open for a second.
 */
const lockMillisecondsTogether = 20
/** As long as for a connection. */
const placeMillisecondsMax = 10_000

export function openTransactions(
  connections: Connections,
  { prepare, limits, budgets, poolSize, timed, current, forms }: TransactionOptions,
): Transactions {
  const pool = connections.openPool(poolSize ?? budgets.budget('storeTransactions').max, limits)
  const gatheredLimits = { ...limits, lockMilliseconds: lockMillisecondsTogether }
  const gatheredPool = connections.openPool(budgets.budget('storeGatheredWrites').max, gatheredLimits)
  const lend = lendFairly(pool, placesOf(budgets), current)
  const lendGathered = lendAny(gatheredPool)
  const listeners: (() => void)[] = []
  const notifyListeners = () => {
    for (const listener of listeners) listener()
  }
  const begin = (client: pg.PoolClient) => connections.begin(client, limits)
  const send = <Row>(client: pg.PoolClient, statement: Sql) =>
    timed({ kind: 'in transaction', statement }, () => ask<Row>(client, prepare(statement)))

  async function transaction<Result>(work: (transaction: Queries) => Promise<Result>): Promise<Result> {
    const inForm = ({ query }: Queries) => work({ query: (statement) => forms.run(query, statement) })
    const result = await refuseUnavailable(() =>
      timed({ kind: 'transaction' }, (waiting) =>
        retriedTransaction(() => runTransaction(lend, waiting, { begin, send, work: inForm })),
      ),
    )
    notifyListeners()
    return result
  }

  return {
    single: {
      async query<Row>(statement: Sql) {
        if (statement.inTurn && (await refuseUnavailable(() => forms.isInTurn(statement))))
          return transaction(({ query }) => query<Row>(statement))
        const rows = await refuseUnavailable(() =>
          timed({ kind: 'write', statement }, (waiting) =>
            retriedTransaction(() =>
              runSingle(lend, waiting, (client) => connections.run<Row>(client, statement, limits)),
            ),
          ),
        )
        notifyListeners()
        return rows
      },
      gathered: gatherWrites({
        timed,
        // A distributed store takes several statements for each.
        isPossible: forms.isKnownWhole,
        async send<Row>(statement: Sql, waiting: Waiting) {
          const rows = await runSingle(lendGathered, waiting, (client) =>
            connections.run<Row>(client, statement, gatheredLimits),
          )
          notifyListeners()
          return rows
        },
      }),
    },
    transaction,
    onCommit: (listener) => void listeners.push(listener),
    async close() {
      await Promise.all([pool.end(), gatheredPool.end()])
    },
  }
}

const placesOf = (budgets: Budgets) =>
  createPlaces({
    atOnce: budgets.budget('storeTransactions'),
    atOncePerAccount: budgets.budget('storeTransactionsOfAccount'),
    waiting: budgets.budget('storeTransactionsWaiting'),
    waitingPerAccount: budgets.budget('storeTransactionsWaitingOfAccount'),
    waitMillisecondsMax: placeMillisecondsMax,
  })

async function runSingle<Row>(
  lend: Lend,
  waiting: Waiting,
  run: (client: pg.PoolClient) => Promise<Row[]>,
): Promise<Row[]> {
  const { client, giveBack } = await lend(waiting)
  let failure: unknown
  try {
    return await run(client)
  } catch (error) {
    failure = error
    throw isLostConnection(error) && !isRefusedByServer(error) ? unknownOutcome(error) : error
  } finally {
    giveBack(failure)
  }
}

interface Steps<Result> {
  begin(client: pg.PoolClient): Promise<unknown>
  send<Row>(client: pg.PoolClient, statement: Sql): Promise<Row[]>
  work(transaction: Queries): Promise<Result>
}

async function runTransaction<Result>(
  lend: Lend,
  waiting: Waiting,
  { begin, send, work }: Steps<Result>,
): Promise<Result> {
  const { client, giveBack } = await lend(waiting)
  let failure: unknown
  try {
    // Not awaited here: it is sent with the first statement, in one packet.
    const begun = begin(client)
    const result = await Promise.all([work({ query: (statement) => send(client, statement) }), begun])
    await committed(client.query('commit'))
    return result[0]
  } catch (error) {
    failure = error
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    giveBack(failure)
  }
}

/** A connection lost during commit leaves the outcome unknown, so the transaction must never be repeated automatically. */
async function committed(commit: Promise<unknown>) {
  try {
    await commit
  } catch (error) {
    if (isConflict(error)) throw error
    throw unknownOutcome(error)
  }
}

const unknownOutcome = (error: unknown) => new Error('The outcome of a commit is unknown.', { cause: error })

async function retriedTransaction<Result>(attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await retried((error) => isConflict(error) || isLostConnection(error), attempt)
  } catch (error) {
    throw isConflict(error) ? contended() : error
  }
}
