import type { Socket } from 'node:net'
import type pg from 'pg'
import { isLostConnection, readOnlyCode } from './failures.ts'
import { gotInTime, inTime } from './in-time.ts'

export const acquire = (pool: pg.Pool, endsAt: number): Promise<pg.PoolClient> =>
  gotInTime(endsAt, pool.connect(), (client) => client.release())

/** A connection that failed is not used again. */
export const release = (client: pg.PoolClient, failure: unknown): void =>
  client.release(isLostConnection(failure) ? (failure as Error) : undefined)

/** A connection that has not answered by `endsAt` is cut, which undoes a transaction that is open on it. */
export const answered = <Result>(
  client: pg.ClientBase,
  endsAt: number,
  work: Promise<Result>,
): Promise<Result> => inTime(endsAt, work, () => cut(client))

/** The driver does not declare it. */
export const streamOf = (client: pg.ClientBase): Socket =>
  (client as pg.ClientBase & { readonly connection: { readonly stream: Socket } }).connection.stream

/** Fails what was sent on it. An end in order would wait for the answers. */
export const cut = (client: pg.ClientBase): void => void streamOf(client).destroy()

export interface ConnectionLimits {
  readonly statementMilliseconds: number
  /** Of waiting for a lock; without it as long as the statement may take. */
  readonly lockMilliseconds?: number
  /** Off for statements that are to use one core at most. */
  readonly parallel?: boolean
}

/**
 * Sets the limits of a connection that is the server's own and returns whether it is. Behind a pooler the number of the
 * server process differs from what the connection was told: there a setting would stay behind for other clients of the
 * pooler, so that a limit goes with each transaction instead. A limit among the startup parameters would be refused.
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

/** A standby, or a primary that was demoted: what is read there may be old, and nothing can be written. */
export const isReadOnly = `pg_is_in_recovery() or current_setting('transaction_read_only')::boolean`

/** The statement that sets the limits for a connection, or for the transaction that has just begun. */
export function limitsOf(
  { statementMilliseconds, lockMilliseconds = 0, parallel = true }: ConnectionLimits,
  scope: Scope,
): string {
  const settings = [
    randomReads,
    datesAsShown,
    `statement_timeout = ${statementMilliseconds}`,
    ...(lockMilliseconds > 0 ? [`lock_timeout = ${lockMilliseconds}`] : []),
    ...(parallel ? [] : ['max_parallel_workers_per_gather = 0']),
  ]
  return settings.map((setting) => `set ${scope} ${setting}`).join('; ')
}

/**
 * The store's default is that of turning disks: there it reads a small table whole for a single row, such as a hundred accounts
 * for one, on every write that locks what it refers to.
 */
const randomReads = 'random_page_cost = 1.1'

/** Moments are text of the store, whatever style a database or role was given. */
const datesAsShown = `datestyle = 'ISO'`

type Scope = 'session' | 'local'
