import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import {
  type AdministratorOptions,
  administratorColumns,
  administratorsOf,
  type PossibleAdministrator,
} from '../../accounts/administrators.ts'
import { isDeactivated } from '../../accounts/deactivation.ts'
import { normalizeLogin } from '../../accounts/login.ts'
import { type Environment, readSettings } from '../../config/settings.ts'
import { readPending } from '../../db/migrate.ts'
import { render, sql } from '../../db/sql.ts'
import { storeTasks } from '../../db/stores.ts'
import { type IdentitySettings, readIdentitySettings } from '../../hosts/identity/configuration.ts'
import { createSecretBox } from '../../hosts/identity/keys/key-ring.ts'
import { openClient } from './check-standbys.ts'
import { type Finding, fine, look, wrong } from './finding.ts'

const versionMin = 150_000

/** Checks everything that this role may see. */
export async function checkStore(url: string, environment: Environment): Promise<readonly Finding[]> {
  const client = openClient(url)
  try {
    await client.connect()
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return [
      wrong(
        'store',
        `cannot be reached: ${message || code}`,
        'Check that it is running, DATABASE_URL and its password.',
      ),
    ]
  }
  const identity = readSettings(environment, readIdentitySettings)
  const findings: Finding[] = []
  try {
    for (const check of checks) findings.push(...(await check(client)))
    findings.push(await checkKeys(client, identity), await checkAdministrators(client, identity))
  } catch (error) {
    findings.push(wrong('store', (error as Error).message, 'Check the log of the store.'))
  } finally {
    await client.end().catch(() => undefined)
  }
  return findings
}

async function ask<Row>(client: pg.Client, statement: string): Promise<Row> {
  return (await client.query(statement)).rows[0] as Row
}

const checks: readonly ((client: pg.Client) => Promise<readonly Finding[]>)[] = [
  async (client) => {
    const { text, number, standby, size } = await ask<{
      text: string
      number: number
      standby: boolean
      size: string
    }>(
      client,
      `select current_setting('server_version') as text, current_setting('server_version_num')::int as number,
        pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as standby,
        pg_size_pretty(pg_database_size(current_database())) as size`,
    )
    return [
      number < versionMin
        ? wrong('store', `PostgreSQL ${text}`, 'Use 15 or newer.')
        : fine('store', `PostgreSQL ${text}, ${size}`),
      standby
        ? wrong(
            'writing',
            'the store takes no writes: a standby, or read only',
            'Set DATABASE_URL to the primary, or to the proxy in front of it.',
          )
        : fine('writing', 'the store accepts writes'),
    ]
  },
  async (client) => {
    try {
      const pending = await readPending(client)
      if (pending.length === 0) return [fine('schema', 'matches this version')]
      return [
        look(
          'schema',
          `${pending.length} migrations are to come, the first is ${pending[0]}`,
          'npm run cli -- prepare, or the next start, applies them.',
        ),
      ]
    } catch (error) {
      return [wrong('schema', (error as Error).message, 'Start the version that belongs to this store.')]
    }
  },
  async (client) => {
    const before = Date.now()
    const { now } = await ask<{ now: number }>(
      client,
      `select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
    )
    return [gradeClock(now, before, Date.now())]
  },
  async (client) => {
    const { used, most } = await ask<{ used: number; most: number }>(
      client,
      `select count(*)::int as used, current_setting('max_connections')::int as most
       from pg_stat_activity where backend_type = 'client backend'`,
    )
    const found = `${used} of ${most} are used`
    if (used < most * 0.8) return [fine('connections', found)]
    return [
      look(
        'connections',
        found,
        'Start fewer hosts, raise max_connections, or put a pooler in front of the store.',
      ),
    ]
  },
  async (client) => {
    const { minutes } = await ask<{ minutes: number }>(
      client,
      `select coalesce(max(extract(epoch from now() - xact_start)), 0)::int / 60 as minutes
       from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    if (minutes < 10) return [fine('transactions', 'none is older than ten minutes')]
    return [
      look(
        'transactions',
        `one is ${minutes} minutes old`,
        'select pid, query from pg_stat_activity order by xact_start; end it with pg_terminate_backend(pid).',
      ),
    ]
  },
  async (client) => {
    const { rows } = await client.query<Standby>(
      `select application_name as name, state, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)::float8 as bytes,
        coalesce(extract(epoch from replay_lag), 0)::float8 as seconds
       from pg_stat_replication where not pg_is_in_recovery()`,
    )
    return rows.map(gradeStandby)
  },
  async (client) => {
    const { rows } = await client.query<{ name: string; bytes: number }>(
      `select slot_name as name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as bytes
       from pg_replication_slots where not active and restart_lsn is not null and not pg_is_in_recovery()`,
    )
    return rows.map(({ name, bytes }) =>
      look(
        'replication',
        `slot ${name} keeps ${mebibytes(bytes)} of journal for no standby`,
        `Start its standby, or: select pg_drop_replication_slot('${name}')`,
      ),
    )
  },
  storeTasks.checkNodes,
  async (client) => {
    const { open } = await ask<{ open: boolean }>(
      client,
      `select bool_or(has_function_privilege('public', oid, 'execute')) as open from pg_proc
       where pronamespace = 'pg_catalog'::regnamespace and proname in ('lo_creat', 'lo_create', 'lo_from_bytea')`,
    )
    return open
      ? [
          look(
            'large objects',
            'every role may make them, and fill the disk',
            'Run deploy/postgres/create-roles.sh as the superuser, which closes these functions.',
          ),
        ]
      : []
  },
  async (client) => {
    const { failing } = await ask<{ failing: boolean }>(
      client,
      `select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing from pg_stat_archiver`,
    )
    return failing
      ? [
          wrong(
            'archive',
            'the journal is not being archived',
            'Check the log of the store: archive_command fails, and the disk fills up.',
          ),
        ]
      : []
  },
]

interface Standby {
  readonly name: string
  readonly state: string
  readonly bytes: number
  readonly seconds: number
}

const lagSecondsMax = 30
const lagBytesMax = 256 * 1024 ** 2

export function gradeStandby({ name, state, bytes, seconds }: Standby): Finding {
  const found = `${name} is ${state}, ${mebibytes(bytes)} and ${seconds.toFixed(1)} s behind`
  if (state === 'streaming' && seconds < lagSecondsMax && bytes < lagBytesMax)
    return fine('replication', found)
  return wrong(
    'replication',
    found,
    'Check its disk, its network and its log; a failover to it would lose or wait for as much.',
  )
}

/** Tokens and keys contain times; clients tolerate a few seconds. */
const clockSecondsMax = 5

export function gradeClock(store: number, before: number, after: number): Finding {
  const apart = Math.max(0, before - store, store - after) / 1000
  const found = `${apart.toFixed(1)} s between this machine and the store`
  if (apart <= clockSecondsMax) return fine('clock', found)
  return wrong(
    'clock',
    found,
    'Let chrony or systemd-timesyncd set both: tokens are rejected, and dates are wrong.',
  )
}

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`

type KeySettings = Pick<IdentitySettings, 'keySecret' | 'dataDirectory' | 'isStoreShared'>

/** Checks that the secret of this machine opens the current keys of the store. */
async function checkKeys(client: pg.Client, settings: KeySettings): Promise<Finding> {
  const { rows: tables } = await client.query(`select to_regclass('identity_keys') as name`)
  if (tables[0]?.name === null)
    return look('keys', 'the store has no schema yet', 'The next start creates it.')
  const { rows } = await client.query<{ id: string; purpose: string; sealed: Buffer }>(
    `select id, purpose, sealed from identity_keys where now() between starts_at and ends_at`,
  )
  if (rows.length === 0)
    return look('keys', 'there are none yet', 'The identity host creates them at its start.')
  const secret = settings.keySecret ?? (await keptSecret(settings.dataDirectory))
  const closed = rows.filter(
    ({ id, purpose, sealed }) =>
      !secret || createSecretBox(secret, `${purpose} keys`).open(sealed, id) === undefined,
  )
  if (closed.length > 0)
    return wrong(
      'keys',
      `${closed.length} of ${rows.length} do not open with this machine's secret`,
      'Set Jwt__SigningKey to the secret of the other instances, or restore identity-secret from a backup.',
    )
  if (settings.isStoreShared && settings.keySecret === undefined)
    return look(
      'keys',
      'the secret is a file of this machine',
      'Set Jwt__SigningKey before another instance starts.',
    )
  return fine('keys', `${rows.length} open with the secret`)
}

const keptSecret = (dataDirectory: string) =>
  readFile(join(dataDirectory, 'identity-secret'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )

/** An administrator is needed to create accounts. */
async function checkAdministrators(client: pg.Client, settings: AdministratorOptions): Promise<Finding> {
  const { rows: tables } = await client.query(`select to_regclass('seeded_account') as name`)
  if (tables[0]?.name === null)
    return look('administrators', 'are not known before the next migration', 'The next start applies it.')
  const listed = settings.adminLogins.map(normalizeLogin)
  const { text, values } = render(sql`
    select ${administratorColumns} from users as account
    where account.active and not ${isDeactivated} and (
      lower(trim(account.login)) = any(${listed}::text[]) or account.id in (select user_id from administrators)
      or account.id in (select user_id from seeded_account))
    order by lower(account.login)`)
  const { rows } = await client.query<PossibleAdministrator>(text, values)
  const logins = rows.filter(administratorsOf(settings).isAdministrator).map(({ login }) => login)
  const [first, ...others] = logins
  if (first === undefined)
    return look(
      'administrators',
      settings.adminLogins.length === 0
        ? 'there is none: the account that the store was seeded with is gone or not known'
        : 'there is none: no account has a login of SVC_ADMIN_LOGINS',
      'Name the login of an account in SVC_ADMIN_LOGINS, for every host.',
    )
  return fine('administrators', others.length === 0 ? first : `${first} and ${others.length} more`)
}
