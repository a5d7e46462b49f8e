import pg from 'pg'
import { explainUnsuitable, pendingAfter, readApplied, readServerFacts } from '../../db/migrate.ts'
import { applicationNamePattern } from '../../db/pooled-connections.ts'
import type { IdentitySettings } from '../../hosts/identity/configuration.ts'
import { error, type Finding, ok, warning } from './advice.ts'
import { assessDisk, readFreeBytes } from './check-machine.ts'
import { queryRow } from './check-store-state.ts'

export interface CheckedStore {
  readonly client: pg.Client
  readonly url: string
  readonly settings: IdentitySettings
}

export async function checkServer({ client }: CheckedStore): Promise<readonly Finding[]> {
  const facts = await readServerFacts(client)
  const problem = explainUnsuitable(facts)
  const { standby, size } = await queryRow<{ standby: boolean; size: string }>(
    client,
    `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as standby,
      pg_size_pretty(pg_database_size(current_database())) as size`,
  )
  return [
    problem === undefined
      ? ok('store', `PostgreSQL ${facts.version}, ${size}`)
      : error('store', problem, 'docs/deployment.md lists what a store needs.'),
    standby
      ? error(
          'writing',
          'the store accepts no writes: it is a standby or read-only',
          'Set DATABASE_URL to the primary, or to the proxy in front of it.',
        )
      : ok('writing', 'the store accepts writes'),
  ]
}

export async function checkSchema({ client }: CheckedStore): Promise<Finding> {
  const { role, mayRead, mayMigrate } = await queryRow<{
    role: string
    mayRead: boolean
    mayMigrate: boolean
  }>(
    client,
    `select current_user as role, has_schema_privilege('public', 'create') as "mayMigrate",
       coalesce(has_table_privilege(to_regclass('migrations'), 'select'), true) as "mayRead"`,
  )
  const prepare = 'Run `npm run cli -- prepare` with the DATABASE_URL of the role that owns the schema'
  if (!mayRead)
    return error(
      'schema',
      `the role ${role} may not read the table migrations`,
      `${prepare}: it gives this right to the role of each host. If ${role} is no such role, DATABASE_URL has a wrong user.`,
    )
  const applied = await readApplied(client)
  try {
    const pending = await pendingAfter(applied)
    if (pending.length === 0) return ok('schema', 'matches this version')
    return warning(
      'schema',
      `pending migrations: ${pending.length}, the first is ${pending[0]}`,
      mayMigrate
        ? 'npm run cli -- prepare, or the next start, applies them.'
        : `${prepare}; the role ${role} may not migrate.`,
    )
  } catch (cause) {
    return error('schema', (cause as Error).message, 'Start the version that belongs to this store.')
  }
}

export async function checkClock({ client }: CheckedStore): Promise<Finding> {
  const before = Date.now()
  const { now } = await queryRow<{ now: number }>(
    client,
    `select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
  )
  return assessClock(now, before, Date.now())
}

/** Checks transactions and standbys. PostgreSQL shows them only to roles that may read all statistics. */
export async function checkActivity({ client }: CheckedStore): Promise<readonly Finding[]> {
  const { role, canReadStatistics } = await queryRow<{ role: string; canReadStatistics: boolean }>(
    client,
    `select current_user as role, pg_has_role('pg_read_all_stats', 'usage') as "canReadStatistics"`,
  )
  if (!canReadStatistics)
    return [
      warning(
        'activity',
        `transactions and standbys are hidden from the role ${role}`,
        'Run the doctor as the role that migrates, after the superuser has granted pg_read_all_stats to it.',
      ),
    ]
  return [await checkTransactions(client), ...(await checkReplication(client))]
}

/**
 * Compares the connections with the limit of the server. Only roles that may read all statistics can see
 * which program has opened a connection. Each process of a host has its own application name, which ends with
 * the number of connections that it may open.
 */
export async function checkConnections({ client }: CheckedStore): Promise<Finding> {
  const counts = await queryRow<ConnectionCounts>(
    client,
    `with sessions as (
       select application_name as name, (substring(application_name from '${applicationNamePattern}'))::int as may_open
       from pg_stat_activity where backend_type = 'client backend')
     select (select sum(numbackends)::int from pg_stat_database) as used,
       (select count(*)::int from sessions where may_open is null) as others,
       (select count(*)::int from (select distinct name from sessions where may_open is not null) as named) as processes,
       (select coalesce(sum(may_open), 0)::int from (select distinct name, may_open from sessions) as named) as "mayOpen",
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max,
       pg_has_role('pg_read_all_stats', 'usage') as "areSessionsVisible"`,
  )
  return assessConnections(counts)
}

interface ConnectionCounts {
  readonly used: number
  /** The part of `used` that belongs to other programs. */
  readonly others: number
  /** The processes of hosts that are connected now. */
  readonly processes: number
  /** The connections that these processes may open together. */
  readonly mayOpen: number
  /** The most connections that the server allows to roles other than superusers. */
  readonly max: number
  readonly areSessionsVisible: boolean
}

export function assessConnections(counts: ConnectionCounts): Finding {
  const { used, others, processes, mayOpen, max, areSessionsVisible } = counts
  const hosts = `${processes} ${processes === 1 ? 'process' : 'processes'} of hosts may open ${mayOpen}`
  const result = `${used} of ${max} are used; ${areSessionsVisible ? hosts : hiddenHosts}`
  const advice = 'Lower DB_CONNECTIONS, raise max_connections, or put a pooler in front of the store.'
  const suffices = !areSessionsVisible || mayOpen + others <= max
  if (suffices && used < max * usedShareMax) return ok('connections', result)
  return warning('connections', result, advice)
}

/** The remaining connections are for one more instance, and for an operator with psql. */
const usedShareMax = 0.8

const hiddenHosts = 'how many the hosts may open is hidden from a role without pg_read_all_stats'

/** Only backups and slow exports take longer. A long transaction keeps vacuum from removing dead rows. */
const transactionMinutesMax = 10

async function checkTransactions(client: pg.Client): Promise<Finding> {
  const { minutes } = await queryRow<{ minutes: number }>(
    client,
    `select coalesce(max(extract(epoch from now() - xact_start)), 0)::int / 60 as minutes
     from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  if (minutes < transactionMinutesMax) return ok('transactions', 'none is older than ten minutes')
  return warning(
    'transactions',
    `one is ${minutes} minutes old`,
    'Unless it is a backup or an export, end it with pg_terminate_backend(pid): select pid, application_name, query from pg_stat_activity order by xact_start;',
  )
}

async function checkReplication(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<Replica>(
    `select application_name as name, state, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)::float8 as bytes,
      coalesce(extract(epoch from replay_lag), 0)::float8 as seconds
     from pg_stat_replication where not pg_is_in_recovery()`,
  )
  return rows.map(assessReplica)
}

export async function checkUnusedSlots({ client }: CheckedStore): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ name: string; bytes: number }>(
    `select slot_name as name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as bytes
     from pg_replication_slots where not active and restart_lsn is not null and not pg_is_in_recovery()`,
  )
  return rows.map(({ name, bytes }) =>
    warning(
      'replication',
      `slot ${name} retains ${mebibytes(bytes)} of WAL, but no standby uses it`,
      `Start its standby, or: select pg_drop_replication_slot('${name}')`,
    ),
  )
}

export async function checkLargeObjects({ client }: CheckedStore): Promise<readonly Finding[]> {
  const { open, database } = await queryRow<{ open: boolean; database: string }>(
    client,
    `select bool_or(has_function_privilege('public', oid, 'execute')) as open, current_database() as database from pg_proc
     where pronamespace = 'pg_catalog'::regnamespace and proname in ('lo_creat', 'lo_create', 'lo_from_bytea')`,
  )
  if (!open) return []
  return [
    warning(
      'large objects',
      `every role may create them in the database ${database}, and fill the disk`,
      `Run deploy/postgres/create-roles.sh as the superuser, with TRACKER_DATABASE=${database}: it revokes the right in this database. Other databases of the server are not checked.`,
    ),
  ]
}

export async function checkArchive({ client }: CheckedStore): Promise<readonly Finding[]> {
  const { failing } = await queryRow<{ failing: boolean }>(
    client,
    `select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing from pg_stat_archiver`,
  )
  if (!failing) return []
  return [
    error(
      'archive',
      'WAL is not being archived',
      'Check the log of the store: archive_command fails, and the disk fills up.',
    ),
  ]
}

/**
 * Checks the disk of a server on this machine, if the role may see its directory. The disk of the embedded
 * store is checked with the data directory.
 */
export async function checkLocalDisk({ client, settings }: CheckedStore): Promise<readonly Finding[]> {
  const isLocal = client.host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(client.host)
  if (!settings.isStoreShared || !isLocal) return []
  const { rows } = await client.query<{ directory: string }>(
    `select setting as directory from pg_settings where name = 'data_directory'`,
  )
  const free = await Promise.all(rows.map(({ directory }) => readFreeBytes(directory).catch(() => undefined)))
  return free.flatMap((bytes) => (bytes === undefined ? [] : [assessDisk(bytes)]))
}

/** A row of pg_stat_replication. */
interface Replica {
  readonly name: string
  readonly state: string
  readonly bytes: number
  readonly seconds: number
}

const lagSecondsMax = 30
const lagBytesMax = 256 * 1024 ** 2

export function assessReplica({ name, state, bytes, seconds }: Replica): Finding {
  const result = `${name} is ${state}, ${mebibytes(bytes)} and ${seconds.toFixed(1)} s behind`
  if (state === 'streaming' && seconds < lagSecondsMax && bytes < lagBytesMax)
    return ok('replication', result)
  return error(
    'replication',
    result,
    'Check its disk, its network and its log. A failover to it would lose these changes, or wait for them.',
  )
}

/**
 * The largest tolerated difference between the clocks. Tokens and keys contain timestamps, and clients tolerate only a
 * few seconds.
 */
const clockSecondsMax = 5

/**
 * Assesses the offset of the database clock. It was read between `before` and `after` on this machine. All
 * parameters are epoch milliseconds.
 */
export function assessClock(storeNow: number, before: number, after: number): Finding {
  const offsetSeconds = Math.max(0, before - storeNow, storeNow - after) / 1000
  const result = `${offsetSeconds.toFixed(1)} s between this machine and the store`
  if (offsetSeconds <= clockSecondsMax) return ok('clock', result)
  return error(
    'clock',
    result,
    'Synchronize both clocks, for example by chrony or systemd-timesyncd. Until then, tokens are rejected, and dates are wrong.',
  )
}

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`

/**
 * A standby serves only reads for which it has replayed every commit. Beyond this lag it hardly ever has, so it
 * relieves the primary of nothing.
 */
const readLagSecondsMax = 5

/** Checks the standbys of DATABASE_READ_URL. Findings omit the URLs, which contain passwords. */
export async function checkReadStandbys(
  urls: readonly string[],
  primaryUrl: string | undefined,
): Promise<readonly Finding[]> {
  if (urls.length === 0) return []
  const primaryPosition = primaryUrl && (await readPrimaryPosition(primaryUrl))
  return Promise.all(urls.map((url) => checkReadStandby(url, primaryPosition)))
}

/**
 * Returns the current WAL position of the primary. Returns undefined if it cannot be read, because other checks
 * report that.
 */
async function readPrimaryPosition(url: string): Promise<string | undefined> {
  const client = createDatabaseClient(url)
  try {
    await client.connect()
    const { position } = await queryRow<{ position: string }>(
      client,
      'select pg_current_wal_flush_lsn()::text as position',
    )
    return position
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function checkReadStandby(url: string, primaryPosition: string | undefined): Promise<Finding> {
  const client = createDatabaseClient(url)
  const address = `${client.host}:${client.port}`
  try {
    await client.connect()
    // The position of the primary is used if it is known: a standby that has lost its connection has replayed
    // all that it has received, and would seem to have no lag.
    const { rows } = await client.query<ReadStandby>(
      `select pg_is_in_recovery() as "isStandby",
         case when pg_last_wal_replay_lsn() >= coalesce($1::pg_lsn, pg_last_wal_receive_lsn()) then 0
         else extract(epoch from now() - pg_last_xact_replay_timestamp()) end::float8 as "lagSeconds"`,
      [primaryPosition ?? null],
    )
    return assessReadStandby(address, rows[0] as ReadStandby)
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

interface ReadStandby {
  readonly isStandby: boolean
  /**
   * An upper bound of the lag: the time since the last replayed change. Null if none was replayed since the
   * standby started, and 0 if it has all changes.
   */
  readonly lagSeconds: number | null
}

export function assessReadStandby(address: string, { isStandby, lagSeconds }: ReadStandby): Finding {
  if (!isStandby)
    return warning(
      'standby',
      `${address} is a primary`,
      'Reads do not use it: DATABASE_READ_URL is for standbys.',
    )
  const result =
    lagSeconds === null
      ? `${address} is behind, and has replayed no change since it started`
      : `${address} is ${lagSeconds.toFixed(1)} s behind`
  if (lagSeconds !== null && lagSeconds < readLagSecondsMax) return ok('standby', result)
  return warning(
    'standby',
    result,
    'Check its disk and its connection to the primary, and end its long statements. Until it has caught up, lists are read from the primary.',
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
  // A lost connection also rejects the query in progress, so it is reported there.
  client.on('error', () => undefined)
  return client
}
