import pg from 'pg'
import { readOnlyCode } from '../../db/failures.ts'
import { applicationNameOf, isReadOnly } from '../../db/pooled-connections.ts'
import type { StoreAddress } from '../../db/poolers.ts'
import { queryOneRow, type TextRow as Row } from '../../db/query-rows.ts'

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

export interface ConnectionOptions extends StoreAddress {
  /** Allows many statements in flight at once; only for reads. */
  readonly pipeline?: boolean
  /** The longest wait for a response. */
  readonly timeoutMilliseconds?: number
}

/**
 * The database reports its own timeout of two seconds first. A longer silence means that the machine or the
 * network is gone. Clients get a response within three seconds.
 */
const timeoutMilliseconds = 2400
const connectMilliseconds = 2400

/**
 * Returns whether the database did not respond in time. Statements that are queued behind this one would time
 * out, too.
 */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && /Query read timeout|timeout expired/.test(error.message)

export function openConnection(options: ConnectionOptions): Connection {
  const { namedStatements = true, pipeline = false, pooler } = options
  const config = configOf(options)
  const configure = pooler?.mode === 'transaction' ? requireRoleSettings : applySettings
  const runQuery = pipeline ? queryInPipeline : queryOneRow
  let opening: Promise<pg.Client> | undefined
  const connect = () => {
    const client = new pg.Client(config)
    const connecting = client.connect().then(() => prepareClient(client, configure))
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
      const opened = opening
      const client = await opened.catch((error) => {
        throw new NothingAppliedError(error)
      })
      try {
        return await runQuery(client, { text, values, name: namedStatements ? name : '' })
      } catch (error) {
        const rejection = asNothingApplied(error)
        if (rejection !== undefined && rejection.code !== readOnlyCode) throw rejection
        // A response may still arrive, or the server takes no more writes, so nothing may be sent on this
        // connection. The next statement opens another.
        if (opening === opened) opening = undefined
        // Not awaited, because a connection that does not respond may never end.
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

function asNothingApplied(error: unknown): NothingAppliedError | undefined {
  const isRejected = error instanceof pg.DatabaseError && error.severity === 'ERROR'
  return isRejected ? new NothingAppliedError(error) : undefined
}

/** Checks and configures a new connection, and closes it if it cannot be used. */
async function prepareClient(
  client: pg.Client,
  configure: (client: pg.Client) => Promise<unknown>,
): Promise<pg.Client> {
  try {
    await requireWritable(client)
    await configure(client)
    return client
  } catch (error) {
    // Not awaited, so that the caller gets the error at once.
    void client.end()
    throw error
  }
}

/** Rejects a standby or a demoted primary, so that the next connection can reach the new primary. */
async function requireWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<string[]>({ text: `select ${isReadOnly}`, rowMode: 'array' })
  if (rows[0]?.[0] !== 'f')
    throw Object.assign(new Error('The store takes no writes.'), { code: readOnlyCode })
}

/** The settings of every connection, as PostgreSQL shows them. */
const sessionSettings = {
  // Otherwise a default of the server would decide whether an answered transaction is durable.
  synchronous_commit: 'on',
  // Our calls take a millisecond, so this only ends a wait for a row that some other program holds.
  statement_timeout: '2s',
  // The plans do not depend on the values; planning each time would take a quarter of a call.
  plan_cache_mode: 'force_generic_plan',
}

const applySettings = (client: pg.Client): Promise<unknown> =>
  client.query(
    Object.entries(sessionSettings)
      .map(([name, value]) => `set ${name} = '${value}'`)
      .join('; '),
  )

/**
 * In transaction mode, `set` would change the server connection for other clients, so the role must have the
 * settings.
 */
async function requireRoleSettings(client: pg.Client): Promise<void> {
  const names = Object.keys(sessionSettings)
  const columns = names.map((name) => `current_setting('${name}')`)
  const { rows } = await client.query<string[]>({
    text: `select quote_ident(current_user), ${columns.join(', ')}`,
    rowMode: 'array',
  })
  const [role, ...values] = rows[0] ?? []
  const missing = Object.entries(sessionSettings).filter(([, value], index) => values[index] !== value)
  if (missing.length === 0) return
  const statements = missing.map(([name, value]) => `alter role ${role} set ${name} = '${value}';`)
  throw new Error(
    `The database is behind a pooler in transaction mode, so the settings of the bank have to be those of its role. As the superuser: ${statements.join(' ')} Then RECONNECT in the pooler's console. Or use session mode.`,
  )
}

/** In pipeline mode the driver accepts only its own queries. */
async function queryInPipeline(
  client: pg.Client,
  { name, text, values }: Statement,
): Promise<Row | undefined> {
  const { rows } = await client.query<string[]>({ name, text, values: [...values], rowMode: 'array' })
  return rows[0]
}

function configOf(options: ConnectionOptions) {
  const { url, pipeline = false } = options
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectMilliseconds,
    query_timeout: options.timeoutMilliseconds ?? timeoutMilliseconds,
    keepAlive: true,
    pipeline,
    // Balances and limits stay text from the database to the response: a number would round beyond 2^53.
    types: { getTypeParser: () => asText },
  }
}

/** One connection for transactions, and one for statements. */
const applicationName = applicationNameOf('bank', 2)

const asText = (text: string) => text
