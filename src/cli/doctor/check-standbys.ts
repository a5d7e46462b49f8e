import pg from 'pg'
import { type Finding, fine, look, wrong } from './finding.ts'

/** Beyond this lag, lists that follow a write are always read from the primary. */
const lagSecondsMax = 5

/** Checks the addresses of DATABASE_READ_URL, each shown as its host. */
export const checkStandbys = (urls: readonly string[]): Promise<readonly Finding[]> =>
  Promise.all(urls.map(checkStandby))

async function checkStandby(url: string): Promise<Finding> {
  const client = openClient(url)
  const name = `${client.host}:${client.port}`
  try {
    await client.connect()
    const { rows } = await client.query<StandbyState>(
      `select pg_is_in_recovery() as "isStandby", case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
         else coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0) end::float8 as seconds`,
    )
    return gradeReader(name, rows[0] as StandbyState)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return wrong(
      'standby',
      `${name} cannot be reached: ${message || code}`,
      'All reads go to the primary meanwhile. Check that it is running, and DATABASE_READ_URL.',
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface StandbyState {
  readonly isStandby: boolean
  /** The age of the oldest change that it received but has not replayed. */
  readonly seconds: number
}

export function gradeReader(name: string, { isStandby, seconds }: StandbyState): Finding {
  if (!isStandby)
    return look(
      'standby',
      `${name} is a primary`,
      'It is not used for reads; DATABASE_READ_URL is for standbys.',
    )
  const found = `${name} is ${seconds.toFixed(1)} s behind`
  if (seconds < lagSecondsMax) return fine('standby', found)
  return look(
    'standby',
    found,
    'Lists are read from the primary meanwhile. Check its disk, and for long statements there.',
  )
}

const answerMilliseconds = 5000

/**
 * Returns a client that is not connected yet. It times out early, because a person waits for the findings.
 */
export function openClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'doctor',
    connectionTimeoutMillis: answerMilliseconds,
    query_timeout: answerMilliseconds,
  })
  client.on('error', () => undefined)
  return client
}
