import pg from 'pg'
import { budgetLimits } from '../configuration/budgets.ts'
import { contended } from '../model/problem.ts'
import { columnTypes } from './column-types.ts'
import { isConflict, isLostConnection } from './failures.ts'
import { openLane } from './lane.ts'
import { type Prepare, preparedStatements } from './prepared-statements.ts'
import type { Sql } from './sql.ts'

export interface Queries {
  query<Row>(statement: Sql): Promise<Row[]>
}

/** `query` is for single statements that only read: they share one pipelined connection and are repeated when it drops. */
export interface Database extends Queries {
  /** Everything `work` does is committed, or none of it. It is run again after a conflict, so it must only write rows. */
  transaction<Result>(work: (transaction: Queries) => Promise<Result>): Promise<Result>
  /** Calls back after each committed transaction of this process. */
  onCommit(listener: () => void): void
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly url: string
  readonly applicationName: string
  /** Off for poolers that share server connections between transactions. */
  readonly namedStatements?: boolean
  readonly poolSize?: number
}

/** No statement of ours takes this long; one that does would hold a connection for ever. */
const statementSecondsMax = 30
const connectSecondsMax = 10

export function openDatabase({
  url,
  applicationName,
  namedStatements = true,
  poolSize,
}: DatabaseOptions): Database {
  const config = {
    connectionString: url,
    application_name: applicationName,
    types: columnTypes,
    // Statements travel without waiting for the answer to the one before.
    pipeline: true,
    connectionTimeoutMillis: connectSecondsMax * 1000,
    // A transaction-mode pooler refuses start-up parameters, and is told its limits on its own side.
    ...(namedStatements && { statement_timeout: statementSecondsMax * 1000 }),
  }
  const prepare = preparedStatements({ named: namedStatements })
  const lane = openLane(config)
  const pool = new pg.Pool({ ...config, max: poolSize ?? budgetLimits.storeTransactions.max })
  // A connection may break while it is idle or between two statements: the next statement tells. Without listeners
  // it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const listeners: (() => void)[] = []
  return {
    async query<Row>(statement: Sql) {
      const { rows } = await repeated(isLostConnection, () => lane.query(prepare(statement)))
      return rows as Row[]
    },
    async transaction(work) {
      const result = await repeatedTransaction(() => runTransaction(pool, prepare, work))
      for (const listener of listeners) listener()
      return result
    },
    onCommit: (listener) => void listeners.push(listener),
    async close() {
      await Promise.all([lane.close(), pool.end()])
    },
  }
}

async function runTransaction<Result>(
  pool: pg.Pool,
  prepare: Prepare,
  work: (transaction: Queries) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    // Not awaited here: it travels with the first statement, in one packet.
    const begun = client.query('begin')
    const result = await Promise.all([
      work({ query: async (statement) => (await client.query(prepare(statement))).rows }),
      begun,
    ])
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
    throw new Error('The outcome of a commit is unknown.', { cause: error })
  }
}

async function repeatedTransaction<Result>(attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await repeated((error) => isConflict(error) || isLostConnection(error), attempt)
  } catch (error) {
    throw isConflict(error) ? contended() : error
  }
}

/** Waits between attempts; together they outlast a restart of the database on the same machine. */
const waitsMilliseconds = [10, 40, 160, 640]

async function repeated<Result>(mayRepeat: (error: unknown) => boolean, attempt: () => Promise<Result>) {
  for (const wait of waitsMilliseconds) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayRepeat(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
  }
  return attempt()
}
