import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isLostConnection, isServerFull, readOnlyCode, withDeadline } from './failures.ts'

/**
 * The name under which a process connects. It states how many connections the process may open, because the
 * server only knows those that are open now.
 */
export const applicationNameOf = (program: string, connections: number): string =>
  `${program} ${randomBytes(3).toString('hex')} (${connections})`

/** Matches these names in SQL; the group is the number of connections. */
export const applicationNamePattern = '^\\w+ [0-9a-f]{6} \\((\\d+)\\)$'

/** Takes a connection from the pool. */
export const acquire = (pool: pg.Pool, endsAt: number): Promise<pg.PoolClient> =>
  whileServerIsFull(endsAt, () => acquireOnce(pool, endsAt))

/**
 * Retries while the server has no connection left: other processes may release theirs, or another connection of
 * this pool may become free.
 */
export async function whileServerIsFull<Result>(
  endsAt: number,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const pause = fullPauseMilliseconds * (0.5 + Math.random())
      if (!isServerFull(error) || performance.now() + pause > endsAt) throw error
      await sleep(pause)
    }
  }
}

/** Each attempt makes the server start a process. */
const fullPauseMilliseconds = 200

/** A connection that comes too late is released again. */
async function acquireOnce(pool: pg.Pool, endsAt: number): Promise<pg.PoolClient> {
  const pending = pool.connect()
  return withDeadline(endsAt, pending, () =>
    pending.then(
      (client) => client.release(),
      () => undefined,
    ),
  )
}

/** Returns a connection to the pool, or closes it if it was lost. */
export const release = (client: pg.PoolClient, failure: unknown): void =>
  client.release(failure !== undefined && isLostConnection(failure) ? (failure as Error) : undefined)

/** Closes a connection that has not answered by `endsAt`, which rolls back its open transaction. */
export const closeUnlessAnswered = <Result>(
  client: pg.ClientBase,
  endsAt: number,
  work: Promise<Result>,
): Promise<Result> => withDeadline(endsAt, work, () => destroy(client))

/** Reads a property that the driver's types do not declare. */
export const socketOf = (client: pg.ClientBase): Socket =>
  (client as pg.ClientBase & { readonly connection: { readonly stream: Socket } }).connection.stream

/** Closes the connection at once, so that everything sent on it fails. A regular close waits for answers. */
export const destroy = (client: pg.ClientBase): void => void socketOf(client).destroy()

export interface ConnectionLimits {
  readonly statementMilliseconds: number
  /** The lock timeout. Without it, a statement waits for locks until its own timeout. */
  readonly lockMilliseconds?: number
  /** False for statements that are to use one core at most. */
  readonly parallel?: boolean
}

/**
 * Sets the limits on a direct connection, and returns whether the connection is direct. Behind a pooler, the
 * number of the server process differs from the one reported at connecting. A session setting would leak to
 * other clients of the pooler there, so each transaction sets its limits instead. Poolers reject limits in
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
  if (isDirect) await client.query(limitStatements(limits, 'session'))
  return isDirect
}

/** True on a standby and on a demoted primary: reads may be stale, and writes are impossible. */
export const isReadOnly = `pg_is_in_recovery() or current_setting('transaction_read_only')::boolean`

/** Returns the statements that set the limits for a session or for the current transaction. */
export function limitStatements(
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
 * PostgreSQL's default suits spinning disks. With it, the planner scans a small table for a single row, for
 * example on every write that locks the rows it refers to.
 */
const randomReads = 'random_page_cost = 1.1'

/** Timestamps are returned as text, independent of the date style of a database or role. */
const datesAsIso = `datestyle = 'ISO'`

type Scope = 'session' | 'local'
