import type pg from 'pg'
import { type Budgets, openBudgets } from '../configuration/budgets.ts'
import { contended } from '../model/problem.ts'
import { createConnections } from './connections.ts'
import { chooseForms } from './distributed/forms.ts'
import { isConflict, isLostConnection, isRefusedByServer } from './failures.ts'
import { type LimitedReads, openLimitedReads } from './limited-reads.ts'
import { preparedStatements } from './prepared-statements.ts'
import { refuseUnavailable } from './refuse-unavailable.ts'
import { retried } from './retry.ts'
import type { Sql } from './sql.ts'
import { createTiming, type StatementKind, type StatementListener, type Waiting } from './statement-times.ts'
import { openStreamedReads, type StreamedReads } from './streamed-reads.ts'
import { createWorks, type Works } from './work.ts'

export interface Queries {
  query<Row>(statement: Sql): Promise<Row[]>
}

/**
 * `query` is for single statements that only read a few rows by their keys: they share one pipelined connection, which
 * nothing slow may hold up, and are repeated when it drops.
 */
export interface Database extends Queries, Pick<Works, 'during' | 'complete'> {
  /** For lists. */
  readonly lists: Pick<LimitedReads, 'query'>
  /** For the snapshots of live listings, which never hold a list up. */
  readonly liveLists: Pick<LimitedReads, 'query'>
  /** For exports, of any length. */
  readonly exports: Pick<StreamedReads, 'stream'>
  /** Statements that write and are a transaction each, in one round trip. */
  readonly single: Queries
  /** Everything `work` does is committed, or none of it. It is run again after a conflict, so it must only write rows. */
  transaction<Result>(work: (transaction: Queries) => Promise<Result>): Promise<Result>
  /** Calls back after each committed transaction of this process. */
  onCommit(listener: () => void): void
  /** Calls back when a statement or a transaction has ended, with how long it took, the wait for a connection included. */
  onStatement(listener: StatementListener): void
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly url: string
  readonly applicationName: string
  /** Off for poolers that do not know named statements. */
  readonly namedStatements?: boolean
  readonly poolSize?: number
  readonly budgets?: Budgets
}

/** No statement of ours takes this long; one that does would hold a connection for ever. */
const limits = { statementMilliseconds: 30_000 }

export function openDatabase({
  url,
  applicationName,
  namedStatements = true,
  poolSize,
  budgets = openBudgets(),
}: DatabaseOptions): Database {
  const prepare = preparedStatements({ named: namedStatements })
  const connections = createConnections({ url, applicationName, prepare })
  const reads = connections.openPipelined(limits)
  const lists = openLimitedReads(connections, budgets, 'lists')
  const liveLists = openLimitedReads(connections, budgets, 'liveLists')
  const exports = openStreamedReads(connections, budgets)
  const pool = connections.openPool(poolSize ?? budgets.budget('storeTransactions').max, limits)
  const listeners: (() => void)[] = []
  const works = createWorks()
  const { timed, onStatement } = createTiming(works)
  const timedReads = (kind: StatementKind, limited: LimitedReads): Pick<LimitedReads, 'query'> => ({
    query: (statement, account) =>
      refuseUnavailable(() =>
        timed({ kind, statement }, (waiting) =>
          forms.run((one) => limited.query(one, account, waiting), statement),
        ),
      ),
  })
  const read = <Row>(statement: Sql): Promise<Row[]> =>
    retried(isLostConnection, () =>
      reads.use(async (client) => (await client.query(prepare(statement))).rows),
    )
  const forms = chooseForms(read)
  const database: Database = {
    lists: timedReads('list', lists),
    liveLists: timedReads('live list', liveLists),
    exports,
    during: works.during,
    complete: works.complete,
    onStatement,
    query: (statement) =>
      refuseUnavailable(() => timed({ kind: 'read', statement }, () => forms.run(read, statement))),
    single: {
      async query<Row>(statement: Sql) {
        if (statement.inTurn && (await refuseUnavailable(() => forms.isInTurn(statement))))
          return database.transaction((transaction) => transaction.query<Row>(statement))
        const run = (client: pg.PoolClient) => connections.run<Row>(client, statement, limits)
        const rows = await refuseUnavailable(() =>
          timed({ kind: 'write', statement }, (waiting) =>
            retriedTransaction(() => runSingle(pool, waiting, run)),
          ),
        )
        for (const listener of listeners) listener()
        return rows
      },
    },
    async transaction(work) {
      const begin = (client: pg.PoolClient) => connections.begin(client, limits)
      const send = <Row>(client: pg.PoolClient, statement: Sql) =>
        timed({ kind: 'in transaction', statement }, async () => {
          const { rows } = await client.query(prepare(statement))
          return rows as Row[]
        })
      const inForm = (transaction: Queries) =>
        work({ query: (statement) => forms.run(transaction.query, statement) })
      const result = await refuseUnavailable(() =>
        timed({ kind: 'transaction' }, (waiting) =>
          retriedTransaction(() => runTransaction(pool, waiting, { begin, send, work: inForm })),
        ),
      )
      for (const listener of listeners) listener()
      return result
    },
    onCommit: (listener) => void listeners.push(listener),
    async close() {
      await Promise.all([reads.close(), lists.close(), liveLists.close(), exports.close(), pool.end()])
    },
  }
  return database
}

async function runSingle<Row>(
  pool: pg.Pool,
  waiting: Waiting,
  run: (client: pg.PoolClient) => Promise<Row[]>,
): Promise<Row[]> {
  const client = await connected(pool, waiting)
  let failure: unknown
  try {
    return await run(client)
  } catch (error) {
    failure = error
    throw isLostConnection(error) && !isRefusedByServer(error) ? unknownOutcome(error) : error
  } finally {
    client.release(isLostConnection(failure) ? (failure as Error) : undefined)
  }
}

async function connected(pool: pg.Pool, waiting: Waiting): Promise<pg.PoolClient> {
  const end = waiting.begin()
  try {
    return await pool.connect()
  } finally {
    end()
  }
}

interface Steps<Result> {
  begin(client: pg.PoolClient): Promise<unknown>
  send<Row>(client: pg.PoolClient, statement: Sql): Promise<Row[]>
  work(transaction: Queries): Promise<Result>
}

async function runTransaction<Result>(
  pool: pg.Pool,
  waiting: Waiting,
  { begin, send, work }: Steps<Result>,
): Promise<Result> {
  const client = await connected(pool, waiting)
  let failure: Error | undefined
  try {
    // Not awaited here: it travels with the first statement, in one packet.
    const begun = begin(client)
    const result = await Promise.all([work({ query: (statement) => send(client, statement) }), begun])
    await committed(client.query('commit'))
    return result[0]
  } catch (error) {
    failure = error as Error
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    client.release(failure && isLostConnection(failure) ? failure : undefined)
  }
}

/** A connection lost during commit leaves the outcome unknown: it must never be repeated by itself. */
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
