import pg from 'pg'
import { askOneRow, type TextRow as Row } from '../../db/ask.ts'
import { readOnlyCode } from '../../db/failures.ts'
import { isReadOnly } from '../../db/pooled-connections.ts'

export type { Row }

/**
 * A connection to the database that opens on first use and reopens after it breaks. It never sends a
 * statement twice.
 */
export interface Connection {
  /**
   * Returns the columns of the single row as text, or undefined without a row. If it rejects with anything
   * but NothingAppliedError, the outcome is unknown.
   */
  query(statement: Statement): Promise<Row | undefined>
  close(): Promise<void>
}

export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: readonly string[]
}

/** The database rejected the statement or never received it. */
export class NothingAppliedError extends Error {
  /**
   * PostgreSQL's error code, if the database reported the error:
   * https://www.postgresql.org/docs/current/errcodes-appendix.html
   */
  readonly code: string | undefined

  constructor(cause: unknown) {
    super(`The database has applied nothing: ${(cause as Error).message}`, { cause })
    this.code = (cause as { code?: string }).code
  }
}

export interface ConnectionOptions {
  readonly url: string
  /** Turned off for poolers, which also reject settings in the startup message. */
  readonly namedStatements: boolean
  /** Allows many statements in flight at once; only for reads. */
  readonly pipeline?: boolean
  /** The longest wait for a response. */
  readonly silenceMilliseconds?: number
}

/**
 * A call takes a millisecond; anything that holds an account's row for seconds is not one of our
 * transactions.
 */
const statementMilliseconds = 2000
/**
 * The database reports its own timeout first; a longer silence means that the machine or the network is gone.
 * Clients get a response within three seconds.
 */
const silenceMilliseconds = 2400
const connectMilliseconds = 2400

/** The database did not respond in time, so requests queued behind this one would only time out too. */
export const isSilence = (error: unknown): boolean =>
  error instanceof Error && /Query read timeout|timeout expired/.test(error.message)

export function openConnection(options: ConnectionOptions): Connection {
  const { namedStatements, pipeline = false } = options
  const config = configOf(options)
  const ask = pipeline ? askInPipeline : askOneRow
  let opening: Promise<pg.Client> | undefined
  const connect = () => {
    const client = new pg.Client(config)
    const connecting = client.connect().then(() => writable(client))
    const discard = () => {
      // A late event of an old connection must not remove its successor.
      if (opening === connecting) opening = undefined
    }
    client.on('error', discard)
    client.on('end', discard)
    connecting.catch(discard)
    return connecting
  }
  return {
    async query({ name, text, values }) {
      opening ??= connect()
      const current = opening
      const client = await current.catch((error) => {
        throw new NothingAppliedError(error)
      })
      try {
        return await ask(client, { text, values, name: namedStatements ? name : '' })
      } catch (error) {
        const rejection = rejectionOf(error)
        if (rejection !== undefined && rejection.code !== readOnlyCode) throw rejection
        // A response may still arrive, so nothing may be sent on this connection; the next statement opens
        // another.
        if (opening === current) opening = undefined
        void client.end()
        throw rejection ?? error
      }
    },
    async close() {
      const client = await opening?.catch(() => undefined)
      await client?.end()
    },
  }
}

function rejectionOf(error: unknown): NothingAppliedError | undefined {
  const isRejected = error instanceof pg.DatabaseError && error.severity === 'ERROR'
  return isRejected ? new NothingAppliedError(error) : undefined
}

/** Leaves a demoted primary or a standby at once: the next connection may reach the new primary. */
async function writable(client: pg.Client): Promise<pg.Client> {
  const { rows } = await client.query<string[]>({ text: `select ${isReadOnly}`, rowMode: 'array' })
  if (rows[0]?.[0] === 'f') return client
  void client.end()
  throw Object.assign(new Error('The store takes no writes.'), { code: readOnlyCode })
}

/** In pipeline mode the driver accepts only its own queries. */
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
    // The plans do not depend on the values; planning each time would take a quarter of a call.
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
    // Balances and limits stay text from the database to the response: a number would round beyond 2^53.
    types: { getTypeParser: () => asText },
    ...(namedStatements && { options: startOptions }),
  }
}

const asText = (text: string) => text
