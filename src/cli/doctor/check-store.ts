import pg from 'pg'
import { type Environment, readSettings } from '../../config/settings.ts'
import { readPending } from '../../db/migrate.ts'
import { applicationNamePattern } from '../../db/pooled-connections.ts'
import { describePooler, detectPooler } from '../../db/poolers.ts'
import { explainUnsuitable, readServerFacts } from '../../db/server-requirements.ts'
import { storeTasks } from '../../db/stores.ts'
import { type IdentitySettings, readIdentitySettings } from '../../hosts/identity/configuration.ts'
import { gradeDisk, readFreeBytes } from './check-host.ts'
import { checkAdministrators, checkBackup, checkInstances, checkKeys, queryRow } from './check-records.ts'
import { createDatabaseClient } from './check-standbys.ts'
import { error, type Finding, ok, warning } from './finding.ts'

/** Checks the store, as far as the role of DATABASE_URL may look. */
export async function checkStore(url: string, environment: Environment): Promise<readonly Finding[]> {
  const settings = readSettings(environment, readIdentitySettings)
  const client = createDatabaseClient(url)
  try {
    await client.connect()
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException
    return [
      error(
        'store',
        `cannot be reached: ${message || code}`,
        'Check DATABASE_URL and its password, and that the server is running.',
      ),
    ]
  }
  try {
    return [...(await runChecks(client, settings)), ...(await checkPooler(url))]
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A check that the server rejects hides none of the others. A lost or stuck connection ends them all. */
async function runChecks(client: pg.Client, settings: IdentitySettings): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const hidden: string[] = []
  for (const [subject, check] of Object.entries(checks)) {
    try {
      findings.push(...[await check(client, settings)].flat())
    } catch (cause) {
      if (cause instanceof pg.DatabaseError && cause.code === insufficientPrivilege) {
        hidden.push(subject)
        continue
      }
      findings.push(error(subject, (cause as Error).message, 'Check the log of the store.'))
      if (!(cause instanceof pg.DatabaseError)) break
    }
  }
  return hidden.length === 0 ? findings : [...findings, hiddenFrom(client.user, hidden)]
}

const insufficientPrivilege = '42501'

/** The role of a host reads only what its host needs, which is no fault. */
const hiddenFrom = (role: string | undefined, subjects: readonly string[]): Finding =>
  warning(
    'rights',
    `the role ${role} may not read: ${subjects.join(', ')}`,
    'Run the doctor with the DATABASE_URL of the identity host, or of the role that migrates, too.',
  )

type Check = (client: pg.Client, settings: IdentitySettings) => Promise<Finding | readonly Finding[]>

/** The checks by the subject of their findings, in the order in which they are printed. */
const checks: Readonly<Record<string, Check>> = {
  store: checkServer,
  schema: checkSchema,
  clock: checkClock,
  instances: checkInstances,
  connections: checkConnections,
  activity: checkActivity,
  replication: checkUnusedSlots,
  nodes: checkShardNodes,
  'large objects': checkLargeObjects,
  archive: checkArchive,
  backup: checkBackup,
  disk: checkLocalDisk,
  keys: checkKeys,
  administrators: checkAdministrators,
}

async function checkServer(client: pg.Client): Promise<readonly Finding[]> {
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

/** Returns nothing on a direct connection. */
async function checkPooler(url: string): Promise<readonly Finding[]> {
  try {
    const pooler = await detectPooler(url, poolerMilliseconds)
    if (pooler === undefined) return []
    const result = describePooler(pooler)
    if (pooler.supportsNamedStatements) return [ok('pooler', result)]
    return [
      warning(
        'pooler',
        result,
        'It works, and costs the database time: use pgbouncer 1.21 or newer with max_prepared_statements.',
      ),
    ]
  } catch (cause) {
    return [error('pooler', (cause as Error).message, 'docs/deployment.md#poolers has a file that works.')]
  }
}

const poolerMilliseconds = 5000

async function checkSchema(client: pg.Client): Promise<Finding> {
  try {
    const pending = await readPending(client)
    if (pending.length === 0) return ok('schema', 'matches this version')
    return warning(
      'schema',
      `pending migrations: ${pending.length}, the first is ${pending[0]}`,
      'npm run cli -- prepare, or the next start, applies them.',
    )
  } catch (cause) {
    return error('schema', (cause as Error).message, 'Start the version that belongs to this store.')
  }
}

async function checkClock(client: pg.Client): Promise<Finding> {
  const before = Date.now()
  const { now } = await queryRow<{ now: number }>(
    client,
    `select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
  )
  return gradeClock(now, before, Date.now())
}

/** Checks sessions and standbys, which PostgreSQL shows only to roles with the right to read all statistics. */
async function checkActivity(client: pg.Client): Promise<readonly Finding[]> {
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

/** Every role may read how many connections there are, but hosts that may open them are seen only with all sessions. */
async function checkConnections(client: pg.Client): Promise<Finding> {
  const counts = await queryRow<ConnectionCounts>(
    client,
    `with sessions as (
       select application_name as name, (substring(application_name from '${applicationNamePattern}'))::int as most
       from pg_stat_activity where backend_type = 'client backend')
     select (select sum(numbackends)::int from pg_stat_database) as used,
       (select count(*)::int from sessions where most is null) as others,
       (select count(*)::int from (select distinct name from sessions where most is not null) as named) as processes,
       (select coalesce(sum(most), 0)::int from (select distinct name, most from sessions) as named) as "mayOpen",
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max,
       pg_has_role('pg_read_all_stats', 'usage') as "areSessionsVisible"`,
  )
  return gradeConnections(counts)
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

export function gradeConnections(counts: ConnectionCounts): Finding {
  const { used, others, processes, mayOpen, max, areSessionsVisible } = counts
  const hosts = `; ${processes} ${processes === 1 ? 'process' : 'processes'} of hosts may open ${mayOpen}`
  const result = `${used} of ${max} are used${areSessionsVisible ? hosts : ''}`
  const advice = 'Lower DB_CONNECTIONS, raise max_connections, or put a pooler in front of the store.'
  const isEnough = !areSessionsVisible || mayOpen + others <= max
  if (isEnough && used < max * 0.8) return ok('connections', result)
  return warning('connections', result, advice)
}

async function checkTransactions(client: pg.Client): Promise<Finding> {
  const { minutes } = await queryRow<{ minutes: number }>(
    client,
    `select coalesce(max(extract(epoch from now() - xact_start)), 0)::int / 60 as minutes
     from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  if (minutes < 10) return ok('transactions', 'none is older than ten minutes')
  return warning(
    'transactions',
    `one is ${minutes} minutes old`,
    'select pid, query from pg_stat_activity order by xact_start; end it with pg_terminate_backend(pid).',
  )
}

async function checkReplication(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<Standby>(
    `select application_name as name, state, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)::float8 as bytes,
      coalesce(extract(epoch from replay_lag), 0)::float8 as seconds
     from pg_stat_replication where not pg_is_in_recovery()`,
  )
  return rows.map(gradeStandby)
}

async function checkUnusedSlots(client: pg.Client): Promise<readonly Finding[]> {
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

/** Returns nothing if the store is not sharded. */
function checkShardNodes(client: pg.Client): Promise<readonly Finding[]> {
  return storeTasks.checkNodes(client)
}

async function checkLargeObjects(client: pg.Client): Promise<readonly Finding[]> {
  const { open } = await queryRow<{ open: boolean }>(
    client,
    `select bool_or(has_function_privilege('public', oid, 'execute')) as open from pg_proc
     where pronamespace = 'pg_catalog'::regnamespace and proname in ('lo_creat', 'lo_create', 'lo_from_bytea')`,
  )
  if (!open) return []
  return [
    warning(
      'large objects',
      'every role may create them, and fill the disk',
      'Run deploy/postgres/create-roles.sh as the superuser: it revokes the right to call these functions.',
    ),
  ]
}

async function checkArchive(client: pg.Client): Promise<readonly Finding[]> {
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
 * PostgreSQL shows its folder to few roles, and only the disk of this machine can be looked at. That of the embedded store is
 * checked with the data folder.
 */
async function checkLocalDisk(
  client: pg.Client,
  { isStoreShared }: IdentitySettings,
): Promise<readonly Finding[]> {
  const isLocal = client.host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(client.host)
  if (!isStoreShared || !isLocal) return []
  const { rows } = await client.query<{ folder: string }>(
    `select setting as folder from pg_settings where name = 'data_directory'`,
  )
  const free = await Promise.all(rows.map(({ folder }) => readFreeBytes(folder).catch(() => undefined)))
  return free.flatMap((bytes) => (bytes === undefined ? [] : [gradeDisk(bytes)]))
}

interface Standby {
  readonly name: string
  readonly state: string
  readonly bytes: number
  readonly seconds: number
}

const lagSecondsMax = 30
const lagBytesMax = 256 * 1024 ** 2

export function gradeStandby({ name, state, bytes, seconds }: Standby): Finding {
  const result = `${name} is ${state}, ${mebibytes(bytes)} and ${seconds.toFixed(1)} s behind`
  if (state === 'streaming' && seconds < lagSecondsMax && bytes < lagBytesMax)
    return ok('replication', result)
  return error(
    'replication',
    result,
    'Check its disk, its network and its log. A failover to it would lose these changes, or wait for them.',
  )
}

/** The largest difference between the clocks. Tokens and keys contain timestamps, and clients tolerate a few seconds. */
const clockSecondsMax = 5

/** The store's clock was read between two readings of the own one. All are in milliseconds. */
export function gradeClock(storeNow: number, before: number, after: number): Finding {
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
