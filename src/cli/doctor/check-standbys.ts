import pg from 'pg'
import { error, type Finding, ok, warning } from './finding.ts'

/** Beyond this lag, lists that follow a write are always read from the primary. */
const lagSecondsMax = 5

/** Checks the standbys of DATABASE_READ_URL. Findings name hosts only, because the URLs contain passwords. */
export const checkStandbys = (urls: readonly string[]): Promise<readonly Finding[]> =>
  Promise.all(urls.map(checkStandby))

async function checkStandby(url: string): Promise<Finding> {
  const client = createDatabaseClient(url)
  const address = `${client.host}:${client.port}`
  try {
    await client.connect()
    const { rows } = await client.query<StandbyState>(
      `select pg_is_in_recovery() as "isStandby", case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
         else coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0) end::float8 as "lagSeconds"`,
    )
    return gradeReadStandby(address, rows[0] as StandbyState)
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException
    return error(
      'standby',
      `${address} cannot be reached: ${message || code}`,
      'Check DATABASE_READ_URL, and that the standby is running. Until then, all reads go to the primary.',
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface StandbyState {
  readonly isStandby: boolean
  /** The age of the oldest change that the standby has received but not replayed. */
  readonly lagSeconds: number
}

export function gradeReadStandby(address: string, { isStandby, lagSeconds }: StandbyState): Finding {
  if (!isStandby)
    return warning(
      'standby',
      `${address} is a primary`,
      'Reads do not use it: DATABASE_READ_URL is for standbys.',
    )
  const result = `${address} is ${lagSeconds.toFixed(1)} s behind`
  if (lagSeconds < lagSecondsMax) return ok('standby', result)
  return warning(
    'standby',
    result,
    'Check its disk, and end its long statements. Until it has caught up, lists are read from the primary.',
  )
}

/** Short, because a person waits for the findings. */
const timeoutMilliseconds = 5000

/** Returns a client that is not connected yet. */
export function createDatabaseClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'doctor',
    connectionTimeoutMillis: timeoutMilliseconds,
    query_timeout: timeoutMilliseconds,
  })
  // A lost connection also rejects the query in progress, which reports it.
  client.on('error', () => undefined)
  return client
}
