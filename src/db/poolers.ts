import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A connection pooler between the hosts and the database. */
export interface Pooler {
  /**
   * In session mode, a client keeps its server connection until it disconnects. In transaction mode, it keeps
   * the connection until the transaction ends.
   */
  readonly mode: 'session' | 'transaction'
  /** True if a client can use a named statement on every server connection. */
  readonly supportsNamedStatements: boolean
}

/** The address of the database. Without `pooler`, the connection is direct. */
export interface StoreAddress {
  readonly url: string
  readonly pooler?: Pooler | undefined
  /** False if statements must be sent without names. */
  readonly namedStatements?: boolean
}

interface PoolerOptions {
  /** The setting DB_NAMED_STATEMENTS. If it is undefined, the poolers decide. */
  readonly namedStatements: boolean | undefined
  readonly readUrls: readonly string[]
  /** Receives the reason if statements are sent without names. */
  readonly onNoNamedStatements?: (reason: string) => void
}

/**
 * Detects the poolers of the database and its standbys. Throws if a pooler cannot do what the settings
 * require.
 */
export async function detectPoolers(
  url: string,
  { namedStatements, readUrls, onNoNamedStatements }: PoolerOptions,
): Promise<StoreAddress> {
  const [pooler, ...standbyPoolers] = await Promise.all([
    detectPooler(url),
    // A host starts even if a standby cannot be reached.
    ...readUrls.map((each) => detectPooler(each, standbyMilliseconds).catch(() => undefined)),
  ])
  const limiting = [pooler, ...standbyPoolers].find((each) => each?.supportsNamedStatements === false)
  if (limiting === undefined || namedStatements === false)
    return { url, pooler, namedStatements: namedStatements ?? true }
  const reason = describePooler(limiting)
  if (namedStatements) throw new Error(`${reason} Remove DB_NAMED_STATEMENTS=true.`)
  onNoNamedStatements?.(reason)
  return { url, pooler, namedStatements: false }
}

export const describePooler = ({ mode, supportsNamedStatements }: Pooler): string =>
  `The database is behind a pooler in ${mode} mode${supportsNamedStatements ? '.' : ' that does not support named statements.'}`

/**
 * Detects the pooler, or returns undefined if the connection is direct. Takes one round trip without a pooler,
 * and about ten with one.
 */
export async function detectPooler(
  url: string,
  milliseconds = waitMilliseconds,
): Promise<Pooler | undefined> {
  const first = await connect(url, milliseconds)
  try {
    // A pooler reports an invented process id to a new client, because the client has no server connection
    // yet.
    if ((await readServerProcess(first)) === first.processID) return undefined
    const second = await connect(url, milliseconds)
    try {
      if (!(await shareServers(first, second))) return { mode: 'session', supportsNamedStatements: true }
    } finally {
      await second.end()
    }
    return { mode: 'transaction', supportsNamedStatements: await translatesNames(first) }
  } finally {
    await first.end()
  }
}

/**
 * This is longer than a pooler takes to open a server connection, and shorter than the two minutes for which
 * pgbouncer lets a client wait by default.
 */
const waitMilliseconds = 8000
const standbyMilliseconds = 1000

type Client = pg.Client & { readonly processID: number | null }

async function connect(url: string, milliseconds: number): Promise<Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'start',
    connectionTimeoutMillis: milliseconds,
    query_timeout: milliseconds,
  }) as Client
  // Without a listener, a lost connection would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function readServerProcess(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

/**
 * Another client may take the shared server connection between two queries, and so hide that it is shared.
 * Therefore one observation is not enough.
 */
const observations = 3

/**
 * Returns whether one client gets different server connections, or two clients get the same connection.
 * Neither happens in session mode.
 */
async function shareServers(first: Client, second: Client): Promise<boolean> {
  for (let count = 0; count < observations; count += 1) {
    const server = await readServerProcess(first)
    if ((await readServerProcess(first)) !== server) return true
    await second.query('begin')
    const other = await readServerProcess(second)
    const later = await readServerProcess(first)
    await second.query('rollback')
    if (other === server || later !== server) return true
  }
  return false
}

/**
 * A pooler that supports named statements gives them other names on the server, so that the names of clients
 * cannot collide.
 */
async function translatesNames(client: Client): Promise<boolean> {
  const name = `start_${randomBytes(6).toString('hex')}`
  await client.query('begin')
  await client.query({ name, text: 'select 1' })
  const { rowCount } = await client.query(`select from pg_prepared_statements where name = '${name}'`)
  // The next client of the server connection must not find the prepared statement.
  if (rowCount === 1) await client.query(`deallocate ${name}`)
  await client.query('commit')
  return rowCount === 0
}
