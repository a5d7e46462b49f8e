import type { Socket } from 'node:net'
import type pg from 'pg'
import { isLostConnection, readOnlyCode } from './failures.ts'
import { inTime } from './in-time.ts'

/** A connection that arrives too late is released here. */
export async function acquire(pool: pg.Pool, endsAt: number): Promise<pg.PoolClient> {
  const coming = pool.connect()
  return inTime(endsAt, coming, () =>
    coming.then(
      (client) => client.release(),
      () => undefined,
    ),
  )
}

/** A connection that failed is not used again. */
export const release = (client: pg.PoolClient, failure: unknown): void =>
  client.release(failure !== undefined && isLostConnection(failure) ? (failure as Error) : undefined)

/** Closes a connection that has not answered by `endsAt`, which rolls back its open transaction. */
export const answered = <Result>(
  client: pg.ClientBase,
  endsAt: number,
  work: Promise<Result>,
): Promise<Result> => inTime(endsAt, work, () => cut(client))

/** The driver does not declare this property. */
export const streamOf = (client: pg.ClientBase): Socket =>
  (client as pg.ClientBase & { readonly connection: { readonly stream: Socket } }).connection.stream

/** Fails everything sent on the connection. Closing it in order would wait for the answers. */
export const cut = (client: pg.ClientBase): void => void streamOf(client).destroy()

export interface ConnectionLimits {
  readonly statementMilliseconds: number
  /** The lock timeout; without it, a statement waits for locks as long as it may take. */
  readonly lockMilliseconds?: number
  /** False for statements that are to use one core at most. */
  readonly parallel?: boolean
}

/**
 * Sets the limits on a connection to the server itself, and returns whether it is one. Behind a pooler, the
 * number of the server process differs from the one reported at connecting. A setting would stay behind there
 * for other clients of the pooler, so each transaction sets its limits instead. Poolers reject limits among
 * the startup parameters.
 */
export async function limitConnection(
  client: pg.Client,
  limits: ConnectionLimits,
  isForStandbys = false,
): Promise<boolean> {
  const { rows } = await client.query<{ pid: number; isReadOnly: boolean }>(
    `select pg_backend_pid() as pid, ${isReadOnly} as "isReadOnly"`,
  )
  if (rows[0]?.isReadOnly && !isForStandbys)
    throw Object.assign(new Error('The store takes no writes.'), { code: readOnlyCode })
  const isDirect = rows[0]?.pid === (client as pg.Client & { readonly processID: number }).processID
  if (isDirect) await client.query(limitsOf(limits, 'session'))
  return isDirect
}

/** True on a standby and on a demoted primary: reads may be stale, and writes are impossible. */
export const isReadOnly = `pg_is_in_recovery() or current_setting('transaction_read_only')::boolean`

/** The statement that sets the limits, for a connection or for the transaction that has just begun. */
export function limitsOf(
  { statementMilliseconds, lockMilliseconds = 0, parallel = true }: ConnectionLimits,
  scope: Scope,
): string {
  const settings = [
    randomReads,
    datesAsIso,
    `statement_timeout = ${statementMilliseconds}`,
    ...(lockMilliseconds > 0 ? [`lock_timeout = ${lockMilliseconds}`] : []),
    ...(parallel ? [] : ['max_parallel_workers_per_gather = 0']),
  ]
  return settings.map((setting) => `set ${scope} ${setting}`).join('; ')
}

/**
 * The default of PostgreSQL suits spinning disks: with it, a small table is scanned for a single row, such as
 * a hundred accounts for one, on every write that locks the rows it refers to.
 */
const randomReads = 'random_page_cost = 1.1'

/** Timestamps are returned as text, independent of the date style of a database or role. */
const datesAsIso = `datestyle = 'ISO'`

type Scope = 'session' | 'local'
