import pg from 'pg'
import { ask } from './ask.ts'
import { columnTypes } from './column-types.ts'
import { type ConnectionLimits, limitConnection, limitsOf } from './connection-limits.ts'
import { cut } from './connection-streams.ts'
import { inTime } from './in-time.ts'
import { openPipelinedConnection, type PipelinedConnection } from './pipelined-connection.ts'
import { Behind, isThere, type Position } from './position.ts'
import type { Prepare } from './prepared-statements.ts'
import type { Sql } from './sql.ts'

/** How every connection of a process is opened, and how the limits of a statement are set on it. */
export interface Connections {
  openPool(max: number, limits: ConnectionLimits): pg.Pool
  openPipelined(limits: ConnectionLimits): PipelinedConnection
  /** Sends one statement that is a transaction, with its limits where the connection does not have them by itself. */
  run<Row>(
    client: pg.ClientBase,
    statement: Sql,
    limits: ConnectionLimits,
    /** What a standby must have replayed; throws `Behind` when it has not. */
    position?: Position,
  ): Promise<Row[]>
  /** Sends what begins a transaction. */
  begin(client: pg.ClientBase, limits: ConnectionLimits): Promise<unknown>
}

export interface ConnectionOptions {
  readonly url: string
  readonly applicationName: string
  readonly prepare: Prepare
  /** The time after which an attempt to connect is given up. */
  readonly connectMilliseconds: number
  /** A server that takes no writes is no use to anybody but readers who can tell how old it is. */
  readonly isForStandbys?: boolean
}

export function createConnections({
  url,
  applicationName,
  prepare,
  connectMilliseconds,
  isForStandbys = false,
}: ConnectionOptions): Connections {
  const config = {
    connectionString: url,
    application_name: applicationName,
    types: columnTypes,
    // Statements are sent without waiting for the answer to the one before.
    pipeline: true,
    connectionTimeoutMillis: connectMilliseconds,
  }
  /** Connections that keep their limits. */
  const limited = new WeakMap<pg.ClientBase, ConnectionLimits>()
  const limit = (limits: ConnectionLimits) => async (client: pg.Client) => {
    const endsAt = performance.now() + connectMilliseconds
    const isKept = await inTime(endsAt, limitConnection(client, limits, isForStandbys), () => cut(client))
    if (isKept) limited.set(client, limits)
  }
  const beginning = (client: pg.ClientBase, limits: ConnectionLimits) =>
    limited.get(client) === limits ? 'begin' : `begin; ${limitsOf(limits, 'local')}`
  return {
    openPool(max, limits) {
      const onConnect = (client: pg.ClientBase) => limit(limits)(client as pg.Client)
      const pool = new pg.Pool({ ...config, max, onConnect } as pg.PoolConfig)
      // A connection may break while it is idle or between two statements: the next statement tells. Without listeners
      // it would end the process.
      pool.on('error', () => undefined)
      pool.on('connect', (client) => client.on('error', () => undefined))
      return pool
    },
    openPipelined: (limits) => openPipelinedConnection(config, limit(limits)),
    async run<Row>(client: pg.ClientBase, statement: Sql, limits: ConnectionLimits, position?: Position) {
      const isLimited = limited.get(client) === limits
      if (isLimited && position === undefined) return ask<Row>(client, prepare(statement))
      // Sent in one go, so that nobody else's statement comes between them on a shared connection.
      const [there, rows] = await Promise.all([
        isLimited ? undefined : client.query(beginning(client, limits)),
        position && ask<{ isThere: boolean }>(client, prepare(isThere(position))),
        ask<Row>(client, prepare(statement)),
        isLimited ? undefined : client.query('commit'),
      ]).then(([, asked, answered]) => [asked, answered] as const)
      if (there && !there[0]?.isThere) throw new Behind()
      return rows
    },
    begin: (client, limits) => client.query(beginning(client, limits)),
  }
}
