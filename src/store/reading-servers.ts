import type pg from 'pg'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Connections } from './connections.ts'
import { Silent } from './in-time.ts'
import type { PipelinedConnection } from './pipelined-connection.ts'
import { acquire, answered, release } from './pooled-connections.ts'
import type { Position } from './position.ts'
import type { Sql } from './sql.ts'
import type { Standby, Standbys } from './standbys.ts'

/** A server that statements which only read may be sent to: the primary or a standby. */
export interface ReadingServer {
  /** Sends it on the connection that all callers share. */
  quickly<Row>(statement: Sql, limits: ConnectionLimits): Promise<Row[]>
  /** Sends it on a connection that no other statement uses meanwhile. */
  slowly<Row>(statement: Sql, limits: ConnectionLimits): Promise<Row[]>
}

/** Chooses the server. A standby that stays silent for longer than the statement may take is given up. */
export type Reading = <Result>(
  read: (server: ReadingServer) => Promise<Result>,
  within: Within,
) => Promise<Result>

interface Within {
  readonly statementMilliseconds: number
  /** When the primary is given up, too. */
  readonly endsAt: number
}

export interface ReadingServers {
  readonly atPrimary: Reading
  /** At a standby that has everything committed so far; at the primary where there is none. */
  readonly anywhere: Reading
  close(): Promise<void>
}

export interface ServerLimits {
  readonly quick: ConnectionLimits
  readonly slow: ConnectionLimits
  readonly slowAtOnce: number
}

/** The server stops a statement at its time limit; this much longer is allowed for its error to arrive. */
const silenceMilliseconds = 500

export function openReadingServers(
  connections: Connections,
  standbys: Standbys,
  limits: ServerLimits,
): ReadingServers {
  const primary = openServer(connections, limits)
  const servers = new Map(standbys.all.map((each) => [each, openServer(each.connections, limits)]))
  const atPrimary: Reading = (read, { endsAt }) => read(primary.at(endsAt))

  async function readAt<Result>(
    standby: Standby,
    position: Position,
    read: (server: ReadingServer) => Promise<Result>,
    { statementMilliseconds, endsAt }: Within,
  ): Promise<Result> {
    const server = servers.get(standby) as OpenServer
    const standbyEndsAt = Math.min(endsAt, performance.now() + statementMilliseconds + silenceMilliseconds)
    try {
      return await read(server.at(standbyEndsAt, position))
    } catch (error) {
      if (error instanceof Silent) server.quick.drop()
      throw error
    }
  }

  return {
    atPrimary,
    anywhere: (read, within) =>
      standbys.read(
        within.endsAt,
        (standby, position) => readAt(standby, position, read, within),
        () => atPrimary(read, within),
      ),
    async close() {
      await Promise.all([primary, ...servers.values()].map((server) => server.close()))
    },
  }
}

interface OpenServer {
  readonly quick: PipelinedConnection
  /** With a position, a statement fails unless the server has replayed everything up to it. */
  at(endsAt: number, position?: Position): ReadingServer
  close(): Promise<void>
}

function openServer(connections: Connections, limits: ServerLimits): OpenServer {
  const quick = connections.openPipelined(limits.quick)
  const slow = connections.openPool(limits.slowAtOnce, limits.slow)
  return {
    quick,
    at: (endsAt, position) => ({
      quickly: (statement, limits) =>
        quick.use((client) => connections.run(client, statement, limits, position), endsAt),
      slowly: (statement, limits) =>
        useOne(slow, endsAt, (client) => connections.run(client, statement, limits, position)),
    }),
    async close() {
      await Promise.all([quick.close(), slow.end()])
    },
  }
}

async function useOne<Row>(
  pool: pg.Pool,
  endsAt: number,
  run: (client: pg.PoolClient) => Promise<Row[]>,
): Promise<Row[]> {
  const client = await acquire(pool, endsAt)
  let failure: unknown
  try {
    return await answered(client, endsAt, run(client))
  } catch (error) {
    failure = error
    throw error
  } finally {
    release(client, failure)
  }
}
