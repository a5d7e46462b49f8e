import pg, { type Connection as DriverConnection, type Submittable } from 'pg'
import { readOnlyCode } from '../../db/failures.ts'
import { isReadOnly } from '../../db/pooled-connections.ts'

/** One connection to the database, opened at its first use and again after it broke. Nothing is ever sent twice. */
export interface Connection {
  /** The columns of the one row, as text; undefined without a row. Rejects with NothingApplied, or the outcome is unknown. */
  query(statement: Statement): Promise<Row | undefined>
  close(): Promise<void>
}

export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: readonly string[]
}

/** The database refused the statement, or was never asked. */
export class NothingApplied extends Error {
  /** The database's own code, where the error came from it: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly code: string | undefined

  constructor(cause: unknown) {
    super(`The database has applied nothing: ${(cause as Error).message}`, { cause })
    this.code = (cause as { code?: string }).code
  }
}

export interface ConnectionOptions {
  readonly url: string
  /** Off for poolers, which also refuse settings at the start of a connection. */
  readonly namedStatements: boolean
  /** Many statements may be on their way at once: for reading only. */
  readonly pipeline?: boolean
  /** How long an answer may take. */
  readonly silenceMilliseconds?: number
}

/** A call takes a millisecond; what holds an account's row for seconds is no transaction of ours. */
const statementMilliseconds = 2000
/** The database says no before that; a longer silence means that the machine or the network is gone. Clients have an answer after three seconds. */
const silenceMilliseconds = 2400
const connectMilliseconds = 2400

/** It did not answer in time, so whoever waits for the same would wait in vain. */
export const isSilence = (error: unknown): boolean =>
  error instanceof Error && /Query read timeout|timeout expired/.test(error.message)

export function openConnection(options: ConnectionOptions): Connection {
  const { namedStatements, pipeline = false } = options
  const config = configOf(options)
  const ask = pipeline ? askInPipeline : askAlone
  let opening: Promise<pg.Client> | undefined
  const connect = () => {
    const client = new pg.Client(config)
    const connecting = client.connect().then(() => writable(client))
    const forget = () => {
      // A late event of an old connection must not remove its successor.
      if (opening === connecting) opening = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    connecting.catch(forget)
    return connecting
  }
  return {
    async query({ name, text, values }) {
      opening ??= connect()
      const current = opening
      const client = await current.catch((error) => {
        throw new NothingApplied(error)
      })
      try {
        return await ask(client, { text, values, name: namedStatements ? name : '' })
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal !== undefined && refusal.code !== readOnlyCode) throw refusal
        // Its answer may still be on the way: nothing must be sent behind it, and the next one finds another connection.
        if (opening === current) opening = undefined
        void client.end()
        throw refusal ?? error
      }
    },
    async close() {
      const client = await opening?.catch(() => undefined)
      await client?.end()
    },
  }
}

function refusalOf(error: unknown): NothingApplied | undefined {
  const isRefused = error instanceof pg.DatabaseError && error.severity === 'ERROR'
  return isRefused ? new NothingApplied(error) : undefined
}

/** A primary that was demoted, or a standby, is left at once: the next connection may lead to its successor. */
async function writable(client: pg.Client): Promise<pg.Client> {
  const { rows } = await client.query<string[]>({ text: `select ${isReadOnly}`, rowMode: 'array' })
  if (rows[0]?.[0] === 'f') return client
  void client.end()
  throw Object.assign(new Error('The store takes no writes.'), { code: readOnlyCode })
}

const askAlone = (client: pg.Client, { name, text, values }: Statement): Promise<Row | undefined> =>
  new Promise((resolve, reject) => {
    client.query(new PreparedCall(name, text, values, (error, row) => (error ? reject(error) : resolve(row))))
  })

/** There the driver accepts queries of its own only. */
async function askInPipeline(client: pg.Client, { name, text, values }: Statement): Promise<Row | undefined> {
  const { rows } = await client.query<string[]>({ name, text, values: [...values], rowMode: 'array' })
  return rows[0]
}

function configOf(options: ConnectionOptions) {
  const { url, namedStatements, pipeline = false } = options
  const settings = {
    // Otherwise a default of the server would decide whether an answered transaction is durable.
    synchronous_commit: 'on',
    statement_timeout: statementMilliseconds,
    // Our plans are the same for all values; making them anew takes a quarter of a call.
    plan_cache_mode: 'force_generic_plan',
  }
  const startOptions = Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
  return {
    connectionString: url,
    application_name: 'bank',
    connectionTimeoutMillis: connectMilliseconds,
    query_timeout: options.silenceMilliseconds ?? silenceMilliseconds,
    keepAlive: true,
    pipeline,
    // Balances and limits go from the database into the answer as they are: a number would round beyond 2^53.
    types: { getTypeParser: () => asText },
    ...(namedStatements && { options: startOptions }),
  }
}

const asText = (text: string) => text

/** The columns of a row, as text. */
export type Row = readonly (string | null)[]

/**
 * A prepared statement that answers one row of text, as the driver lets others submit queries: three messages in one
 * packet, and none of what the driver makes of an answer besides (a result, its fields and their parsers, a promise with
 * a stack), which is garbage on the way of every transaction.
 */
class PreparedCall implements Submittable {
  readonly name: string
  readonly text: string
  /** Replaced by the driver with one that clears its time limit. */
  callback: (error: unknown, row?: Row) => void
  readonly #values: readonly string[]
  #row: Row | undefined

  constructor(
    name: string,
    text: string,
    values: readonly string[],
    callback: (error: unknown, row?: Row) => void,
  ) {
    this.name = name
    this.text = text
    this.#values = values
    this.callback = callback
  }

  submit(connection: DriverConnection): void {
    connection.stream.cork()
    // The driver notes what the database has parsed, and forgets what it has refused.
    const { parsedStatements } = connection as RememberingConnection
    if (parsedStatements[this.name] === undefined)
      connection.parse({ name: this.name, text: this.text, types: [] }, true)
    connection.bind({ statement: this.name, values: [...this.#values] }, true)
    connection.execute(null, true)
    connection.sync()
    connection.stream.uncork()
  }

  handleDataRow({ fields }: { readonly fields: Row }): void {
    this.#row = fields
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#row)
  }

  handleError(error: unknown): void {
    this.callback(error)
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

/** What the driver's connection has besides its declared members. */
interface RememberingConnection extends DriverConnection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
}
