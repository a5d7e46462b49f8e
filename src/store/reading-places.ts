import type pg from 'pg'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Connections } from './connections.ts'
import { isLostConnection } from './failures.ts'
import type { PipelinedConnection } from './pipelined-connection.ts'
import type { Position } from './position.ts'
import type { Sql } from './sql.ts'
import { inTime, Silent, type Standby, type Standbys } from './standbys.ts'

/** One statement at one server. */
export interface Place {
  /** On the connection that all share. */
  quickly<Row>(statement: Sql, limits: ConnectionLimits): Promise<Row[]>
  /** On a connection of its own. */
  slowly<Row>(statement: Sql, limits: ConnectionLimits): Promise<Row[]>
}

/** Chooses the server; one that says nothing for longer than the statement may take is left. */
export type Reading = <Result>(
  read: (place: Place) => Promise<Result>,
  statementMilliseconds: number,
) => Promise<Result>

export interface ReadingPlaces {
  readonly atPrimary: Reading
  /** At a standby that has everything committed so far; at the primary where there is none. */
  readonly anywhere: Reading
  close(): Promise<void>
}

export interface PlaceLimits {
  readonly quick: ConnectionLimits
  readonly slow: ConnectionLimits
  readonly slowAtOnce: number
}

/** The server itself stops what takes too long, and has to say so. */
const silenceMilliseconds = 500

export function openReadingPlaces(
  connections: Connections,
  standbys: Standbys,
  limits: PlaceLimits,
): ReadingPlaces {
  const primary = openServer(connections, limits)
  const servers = new Map(standbys.all.map((each) => [each, openServer(each.connections, limits)]))
  const atPrimary: Reading = (read) => read(primary.at())

  async function readAt<Result>(
    standby: Standby,
    position: Position,
    read: (place: Place) => Promise<Result>,
    statementMilliseconds: number,
  ): Promise<Result> {
    const server = servers.get(standby) as Server
    try {
      return await inTime(statementMilliseconds + silenceMilliseconds, read(server.at(position)))
    } catch (error) {
      if (error instanceof Silent) server.quick.drop()
      throw error
    }
  }

  return {
    atPrimary,
    anywhere: (read, statementMilliseconds) =>
      standbys.read(
        (standby, position) => readAt(standby, position, read, statementMilliseconds),
        () => atPrimary(read, statementMilliseconds),
      ),
    async close() {
      await Promise.all([primary, ...servers.values()].map((server) => server.close()))
    },
  }
}

interface Server {
  readonly quick: PipelinedConnection
  /** With a position: once the server has come there. */
  at(position?: Position): Place
  close(): Promise<void>
}

function openServer(connections: Connections, limits: PlaceLimits): Server {
  const quick = connections.openPipelined(limits.quick)
  const slow = connections.openPool(limits.slowAtOnce, limits.slow)
  return {
    quick,
    at: (position) => ({
      quickly: (statement, limits) =>
        quick.use((client) => connections.run(client, statement, limits, position)),
      slowly: (statement, limits) =>
        useOne(slow, (client) => connections.run(client, statement, limits, position)),
    }),
    async close() {
      await Promise.all([quick.close(), slow.end()])
    },
  }
}

async function useOne<Row>(pool: pg.Pool, run: (client: pg.PoolClient) => Promise<Row[]>): Promise<Row[]> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    return await run(client)
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    client.release(failure && isLostConnection(failure) ? failure : undefined)
  }
}
