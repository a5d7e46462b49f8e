import pg, { type QueryConfig } from 'pg'
import { ask } from './ask.ts'
import { columnTypes } from './columns.ts'
import { inTime } from './in-time.ts'
import { type ConnectionLimits, cut, limitConnection, limitsOf, streamOf } from './pooled-connections.ts'
import { Behind, isThere, type Position } from './position.ts'
import { render, type Sql } from './sql.ts'

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

/** One connection on which many callers' statements are sent without waiting for each other's answers. */
export interface PipelinedConnection {
  /**
   * `send` runs at once and must send all it has to before it returns: others' statements follow. `endsAt` is when its caller
   * is told that there was no answer.
   */
  use<Result>(send: (client: pg.Client) => Promise<Result>, endsAt: number): Promise<Result>
  /** Gives up a connection that does not answer; the next use opens another one. */
  drop(): void
  close(): Promise<void>
}

/**
 * Opens the connection at its first use and again after it dropped. One that has been silent for as long as connecting may take
 * is given up at the next call that waits in vain: not by each of them, or a store that hangs would get a connection from each.
 */
export function openPipelinedConnection(
  config: pg.ClientConfig & { readonly connectionTimeoutMillis: number },
  onConnect: (client: pg.Client) => Promise<unknown>,
): PipelinedConnection {
  let opening: Opening | undefined
  let isClosed = false
  const open = () => {
    // One that was dropped must not make its successor forgotten, when it ends at last.
    const made: Opening = { client: connect(() => forget(made)), heardAt: performance.now() }
    return made
  }
  const forget = (made: Opening) => {
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
    forget(made)
  }
  return {
    use(send, endsAt) {
      // A late call must not open it again.
      if (isClosed) return Promise.reject(new Error('The database is closed.'))
      opening ??= open()
      const used = opening
      const answer = used.client.then((client) => {
        gather(client)
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
  /** On the clock of `performance.now()`; when it was opened, until it has answered. */
  heardAt: number
}

/** What many requests ask in one turn of the event loop leaves in one packet: sending is most of what asking costs. */
function gather(client: pg.Client): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}

export type Prepare = (statement: Sql) => QueryConfig

/** Each named statement keeps a plan on every connection; beyond this many, rare ones are sent unnamed. */
const namesMax = 1000

/** Gives every distinct text a name, so that the server parses and plans it once: 2.4 times less of its work. */
export function preparedStatements({ named }: { named: boolean }): Prepare {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= namesMax) return known
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }
  return (statement) => {
    const { text, values } = render(statement)
    const name = named && !statement.isRare ? nameOf(text) : undefined
    return { text, values, ...(name !== undefined && { name }) }
  }
}
