import pg, { type QueryConfig } from 'pg'
import { pgTypeParsers } from './columns.ts'
import { withDeadline } from './failures.ts'
import {
  type ConnectionLimits,
  destroy,
  limitConnection,
  limitStatements,
  pauseIfServerIsFull,
  socketOf,
} from './pooled-connections.ts'
import { queryRows } from './query-rows.ts'
import { render, type Sql, sql } from './sql.ts'

/** Opens connections, and sets the limits of statements on them. */
export interface Connections {
  openPool(max: number, limits: ConnectionLimits): pg.Pool
  openPipelined(limits: ConnectionLimits): PipelinedConnection
  /** Sends one statement as a transaction. Sets the limits first if the connection does not keep them. */
  run<Row>(
    client: pg.ClientBase,
    statement: Sql,
    limits: ConnectionLimits,
    /** The position that a standby must have replayed. If it has not, throws `StandbyBehindError`. */
    position?: WalPosition,
  ): Promise<Row[]>
  /** Sends the statements that begin a transaction. */
  begin(client: pg.ClientBase, limits: ConnectionLimits): Promise<unknown>
}

interface ConnectionOptions {
  readonly url: string
  readonly applicationName: string
  readonly prepare: Prepare
  /** The time after which an attempt to connect is given up. */
  readonly connectMilliseconds: number
  /** Accepts read-only servers, for readers that check how far behind a standby is. */
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
    types: pgTypeParsers,
    // Statements are sent without waiting for the answer to the previous one.
    pipeline: true,
    connectionTimeoutMillis: connectMilliseconds,
  }
  /** The session limits of direct connections. Connections through a pooler have no entry. */
  const limitsByClient = new WeakMap<pg.ClientBase, ConnectionLimits>()
  const applyLimits = (limits: ConnectionLimits) => async (client: pg.Client) => {
    const endsAt = performance.now() + connectMilliseconds
    const isDirect = await withDeadline(endsAt, limitConnection(client, limits, isForStandbys), () =>
      destroy(client),
    )
    if (isDirect) limitsByClient.set(client, limits)
  }
  const beginStatement = (client: pg.ClientBase, limits: ConnectionLimits) =>
    limitsByClient.get(client) === limits ? 'begin' : `begin; ${limitStatements(limits, 'local')}`
  return {
    openPool(max, limits) {
      const onConnect = (client: pg.ClientBase) => applyLimits(limits)(client as pg.Client)
      const pool = new pg.Pool({ ...config, max, onConnect } as pg.PoolConfig)
      // A connection may break while it is idle or between two statements, and the next statement fails then.
      // Without listeners the error would end the process.
      pool.on('error', () => undefined)
      pool.on('connect', (client) => client.on('error', () => undefined))
      return pool
    },
    openPipelined: (limits) => openPipelinedConnection(config, applyLimits(limits)),
    async run<Row>(client: pg.ClientBase, statement: Sql, limits: ConnectionLimits, position?: WalPosition) {
      const isLimited = limitsByClient.get(client) === limits
      if (isLimited && position === undefined) return queryRows<Row>(client, prepare(statement))
      // Sent together, so that no other caller's statement comes between them on a shared connection.
      const [, replay, rows] = await Promise.all([
        isLimited ? undefined : client.query(beginStatement(client, limits)),
        position && queryRows<{ hasReplayed: boolean }>(client, prepare(hasReplayed(position))),
        queryRows<Row>(client, prepare(statement)),
        isLimited ? undefined : client.query('commit'),
      ])
      if (replay && !replay[0]?.hasReplayed) throw new StandbyBehindError()
      return rows
    },
    begin: (client, limits) => client.query(beginStatement(client, limits)),
  }
}

/** A position in the write-ahead log. A server that has replayed it has every commit before it. */
export interface WalPosition {
  /** Changes with every failover; positions of different timelines cannot be compared. */
  readonly timeline: number
  readonly lsn: string
}

/** The server has not replayed the position yet. */
export class StandbyBehindError extends Error {}

/**
 * Checks whether the server has replayed the position. Sent on the same connection before a statement, it
 * guarantees that the statement sees that position.
 */
const hasReplayed = ({ timeline, lsn }: WalPosition): Sql => sql`
  select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn
    and (select timeline_id from pg_control_checkpoint()) = ${timeline}::int as "hasReplayed"`

/** A connection on which many callers' statements are sent without waiting for each other's answers. */
export interface PipelinedConnection {
  /**
   * `send` runs when the connection is open, and must send everything before it returns, because statements of
   * other callers follow. At `endsAt` the caller's wait ends with an error.
   */
  use<Result>(send: (client: pg.Client) => Promise<Result>, endsAt: number): Promise<Result>
  /** Gives up a connection that does not answer. The next use opens another connection. */
  drop(): void
  close(): Promise<void>
}

/**
 * Opens the connection at its first use, and again after it was dropped. A call that times out only drops the
 * connection if the connection has been silent for as long as connecting may take. Otherwise a hanging server
 * would receive a new connection for each call.
 */
export function openPipelinedConnection(
  config: pg.ClientConfig & { readonly connectionTimeoutMillis: number },
  onConnect: (client: pg.Client) => Promise<unknown>,
): PipelinedConnection {
  let current: OpenConnection | undefined
  let isClosed = false
  const open = () => {
    // A dropped connection may end after another connection has replaced it.
    const connection: OpenConnection = {
      client: connect(() => evict(connection)),
      lastAnswerAt: performance.now(),
    }
    connection.client.catch(() => evict(connection))
    return connection
  }
  const evict = (connection: OpenConnection) => {
    if (current === connection) current = undefined
  }
  const connect = async (onEnd: () => void) => {
    const endsAt = performance.now() + config.connectionTimeoutMillis
    for (;;) {
      const client = new pg.Client(config)
      // `connect` rejects with the same error. Without a listener, it would also end the process.
      client.on('error', () => undefined)
      try {
        await client.connect()
        await onConnect(client)
        client.on('error', onEnd)
        client.on('end', onEnd)
        return client
      } catch (error) {
        // A connection that failed may never end, so there is no wait.
        client.end().catch(() => undefined)
        await pauseIfServerIsFull(error, endsAt)
      }
    }
  }
  const drop = (connection: OpenConnection) => {
    connection.client.then(destroy, () => undefined)
    evict(connection)
  }
  return {
    use(send, endsAt) {
      // A late call must not reopen the connection.
      if (isClosed) return Promise.reject(new Error('The database is closed.'))
      current ??= open()
      const connection = current
      const answer = connection.client.then((client) => {
        sendInOnePacket(client)
        return send(client).finally(() => {
          connection.lastAnswerAt = performance.now()
        })
      })
      const isSilent = () => performance.now() - connection.lastAnswerAt >= config.connectionTimeoutMillis
      return withDeadline(endsAt, answer, () => isSilent() && drop(connection))
    },
    drop: () => current && drop(current),
    async close() {
      isClosed = true
      const client = await current?.client.catch(() => undefined)
      await client?.end()
    },
  }
}

interface OpenConnection {
  readonly client: Promise<pg.Client>
  /** A time of `performance.now()`. Until the first answer, the time at which the connection was opened. */
  lastAnswerAt: number
}

/**
 * Sends the statements of one turn of the event loop in one packet, because sending is most of their cost.
 */
function sendInOnePacket(client: pg.Client): void {
  const stream = socketOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

export type Prepare = (statement: Sql) => QueryConfig

/** Each named statement keeps a plan on every connection. Further statements are sent unnamed. */
const namesMax = 1000

/** Names every distinct text, so that the server parses and plans it only once per connection: 2.4 times less work. */
export function preparedStatements({ named }: { named: boolean }): Prepare {
  const names = new Map<string, string>()
  return (statement) => {
    const { text, values } = render(statement)
    if (!named || statement.isUnprepared) return { text, values }
    let name = names.get(text)
    if (name === undefined && names.size < namesMax) {
      name = `s${names.size}`
      names.set(text, name)
    }
    return name === undefined ? { text, values } : { text, values, name }
  }
}

/** Runs `use` with a connection outside the pools of a host, and closes it afterwards. */
export async function withClient<Result>(
  url: string,
  applicationName: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: applicationName })
  // Without a listener, a connection that is lost between two statements would end the process. The next
  // statement fails instead.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
