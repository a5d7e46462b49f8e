import pg, { type QueryConfig } from 'pg'
import { ask } from './ask.ts'
import { columnTypes } from './columns.ts'
import { inTime } from './in-time.ts'
import { type ConnectionLimits, cut, limitConnection, limitsOf, streamOf } from './pooled-connections.ts'
import { isThere, type Position, StandbyBehindError } from './position.ts'
import { render, type Sql } from './sql.ts'

/** Opens every connection of a process, and sets the limits of a statement on it. */
export interface Connections {
  openPool(max: number, limits: ConnectionLimits): pg.Pool
  openPipelined(limits: ConnectionLimits): PipelinedConnection
  /** Sends one statement that is a transaction, with its limits where the connection does not keep them. */
  run<Row>(
    client: pg.ClientBase,
    statement: Sql,
    limits: ConnectionLimits,
    /** The position that a standby must have replayed; throws `StandbyBehindError` when it has not. */
    position?: Position,
  ): Promise<Row[]>
  /** Sends the statements that begin a transaction. */
  begin(client: pg.ClientBase, limits: ConnectionLimits): Promise<unknown>
}

export interface ConnectionOptions {
  readonly url: string
  readonly applicationName: string
  readonly prepare: Prepare
  /** The time after which an attempt to connect is given up. */
  readonly connectMilliseconds: number
  /** Allows read-only servers, which are of use only to readers that can tell how far behind they are. */
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
    // Statements are sent without waiting for the answer to the previous one.
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
      // A connection may break while it is idle or between two statements, and the next statement fails then.
      // Without listeners the error would end the process.
      pool.on('error', () => undefined)
      pool.on('connect', (client) => client.on('error', () => undefined))
      return pool
    },
    openPipelined: (limits) => openPipelinedConnection(config, limit(limits)),
    async run<Row>(client: pg.ClientBase, statement: Sql, limits: ConnectionLimits, position?: Position) {
      const isLimited = limited.get(client) === limits
      if (isLimited && position === undefined) return ask<Row>(client, prepare(statement))
      // Sent together, so that no other caller's statement comes between them on a shared connection.
      const [there, rows] = await Promise.all([
        isLimited ? undefined : client.query(beginning(client, limits)),
        position && ask<{ isThere: boolean }>(client, prepare(isThere(position))),
        ask<Row>(client, prepare(statement)),
        isLimited ? undefined : client.query('commit'),
      ]).then(([, asked, answered]) => [asked, answered] as const)
      if (there && !there[0]?.isThere) throw new StandbyBehindError()
      return rows
    },
    begin: (client, limits) => client.query(beginning(client, limits)),
  }
}

/** A connection on which many callers' statements are sent without waiting for each other's answers. */
export interface PipelinedConnection {
  /**
   * `send` runs at once and must send everything before it returns, because statements of other callers
   * follow. At `endsAt` the caller's wait ends with an error.
   */
  use<Result>(send: (client: pg.Client) => Promise<Result>, endsAt: number): Promise<Result>
  /** Gives up a connection that does not answer; the next use opens another one. */
  drop(): void
  close(): Promise<void>
}

/**
 * Opens the connection at its first use, and again after it dropped. A connection that has been silent for as
 * long as connecting may take is dropped by the next call that times out. Not every such call drops it, or a
 * hanging server would receive a new connection for each.
 */
export function openPipelinedConnection(
  config: pg.ClientConfig & { readonly connectionTimeoutMillis: number },
  onConnect: (client: pg.Client) => Promise<unknown>,
): PipelinedConnection {
  let opening: Opening | undefined
  let isClosed = false
  const open = () => {
    // When a dropped connection ends at last, its successor must stay.
    const made: Opening = { client: connect(() => evict(made)), heardAt: performance.now() }
    return made
  }
  const evict = (made: Opening) => {
    if (opening === made) opening = undefined
  }
  const connect = async (onEnd: () => void) => {
    const client = new pg.Client(config)
    client.on('error', onEnd)
    client.on('end', onEnd)
    try {
      await client.connect()
      await onConnect(client)
    } catch (error) {
      onEnd()
      // Not awaited: a connection that failed may never end.
      client.end().catch(() => undefined)
      throw error
    }
    return client
  }
  const drop = (made: Opening) => {
    made.client.then(cut, () => undefined)
    evict(made)
  }
  return {
    use(send, endsAt) {
      // A late call must not open it again.
      if (isClosed) return Promise.reject(new Error('The database is closed.'))
      opening ??= open()
      const used = opening
      const answer = used.client.then((client) => {
        batchWrites(client)
        return send(client).finally(() => {
          used.heardAt = performance.now()
        })
      })
      const isSilent = () => performance.now() - used.heardAt >= config.connectionTimeoutMillis
      return inTime(endsAt, answer, () => isSilent() && drop(used))
    },
    drop: () => opening && drop(opening),
    async close() {
      isClosed = true
      const client = await opening?.client.catch(() => undefined)
      await client?.end()
    },
  }
}

interface Opening {
  readonly client: Promise<pg.Client>
  /** On the clock of `performance.now()`; until the first answer, the time at which it was opened. */
  heardAt: number
}

/** Sends the statements of one turn of the event loop in one packet: sending is most of their cost. */
function batchWrites(client: pg.Client): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

export type Prepare = (statement: Sql) => QueryConfig

/** Each named statement keeps a plan on every connection; beyond this number, statements are sent unnamed. */
const namesMax = 1000

/** Names every distinct text, so that the server parses and plans it once: its work is 2.4 times less. */
export function preparedStatements({ named }: { named: boolean }): Prepare {
  const names = new Map<string, string>()
  return (statement) => {
    const { text, values } = render(statement)
    if (!named || statement.isRare) return { text, values }
    let name = names.get(text)
    if (name === undefined && names.size < namesMax) {
      name = `s${names.size}`
      names.set(text, name)
    }
    return name === undefined ? { text, values } : { text, values, name }
  }
}
