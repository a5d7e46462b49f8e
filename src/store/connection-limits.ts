import type pg from 'pg'
import { readOnlyCode } from './failures.ts'

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
