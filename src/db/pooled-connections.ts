import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isLostConnection, isServerFull, readOnlyCode, withDeadline } from './failures.ts'

/**
 * The name with which a process connects. It contains the number of connections that the process may open.
 * The server knows only how many are open now.
 */
export const applicationNameOf = (program: string, connections: number): string =>
  `${program} ${randomBytes(3).toString('hex')} (${connections})`

/** Matches these names in SQL. The group is the number of connections. */
export const applicationNamePattern = '^\\w+ [0-9a-f]{6} \\((\\d+)\\)$'

/** Waits for a connection. One that arrives after the deadline is released again. */
export async function acquire(pool: pg.Pool, endsAt: number): Promise<pg.PoolClient> {
  for (;;) {
    const pending = pool.connect()
    const releaseLater = () =>
      pending.then(
        (client) => client.release(),
        () => undefined,
      )
    try {
      return await withDeadline(endsAt, pending, releaseLater)
    } catch (error) {
      await pauseIfServerIsFull(error, endsAt)
    }
  }
}

/**
 * Pauses before the next attempt if the server had no free connection, because other processes or this pool may
 * release one. Throws other errors, and throws this error if no time is left.
 */
export async function pauseIfServerIsFull(error: unknown, endsAt: number): Promise<void> {
  const pause = fullPauseMilliseconds * (0.5 + Math.random())
  if (!isServerFull(error) || performance.now() + pause > endsAt) throw error
  await sleep(pause)
}

/** Each attempt starts a process on the server. */
const fullPauseMilliseconds = 200

/** Returns a connection to the pool, or closes it if it was lost. */
export const release = (client: pg.PoolClient, failure: unknown): void =>
  client.release(failure !== undefined && isLostConnection(failure) ? (failure as Error) : undefined)

/** Closes the connection if it has not answered by `endsAt`. This rolls back its open transaction. */
export const closeUnlessAnswered = <Result>(
  client: pg.ClientBase,
  endsAt: number,
  work: Promise<Result>,
): Promise<Result> => withDeadline(endsAt, work, () => destroy(client))

/** The types of the driver do not declare this property. */
export const socketOf = (client: pg.ClientBase): Socket =>
  (client as pg.ClientBase & { readonly connection: { readonly stream: Socket } }).connection.stream

/** Closes the connection at once. A regular close would wait for answers. */
export const destroy = (client: pg.ClientBase): void => void socketOf(client).destroy()

export interface ConnectionLimits {
  readonly statementMilliseconds: number
  /** Without it, a statement waits for locks until its own timeout. */
  readonly lockMilliseconds?: number
  /** False for statements that should use only one core. */
  readonly parallel?: boolean
}

/**
 * Sets the limits on a direct connection, and returns whether the connection is direct. Behind a pooler,
 * session settings would affect other clients, so each transaction sets the limits instead. A pooler is
 * recognized by the number of the server process, which differs from the number reported at the start. Throws
 * if the server is read-only, unless the connection is for standbys.
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

/** True on a standby and on a demoted primary. Reads there may be stale, and writes are impossible. */
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
 * The default of PostgreSQL is for spinning disks. With it, the planner may scan a small table to find a
 * single row.
 */
const randomReads = 'random_page_cost = 1.1'

/** Databases and roles may have another date style. */
const datesAsIso = `datestyle = 'ISO'`

type Scope = 'session' | 'local'
