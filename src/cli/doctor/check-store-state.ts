import type pg from 'pg'
import { type AdministratorOptions, findAdministrators } from '../../accounts/administrators.ts'
import {
  describeInstance,
  findDisagreements,
  type RunningInstance,
  selectRunningInstances,
} from '../../db/instances.ts'
import { render, type Sql } from '../../db/sql.ts'
import type { IdentitySettings } from '../../hosts/identity/configuration.ts'
import { readKeySecret } from '../../hosts/identity/keys/open-keys.ts'
import { createKeyBox } from '../../hosts/identity/keys/secret-box.ts'
import { error, type Finding, ok, warning } from './advice.ts'

/** Runs a statement that always returns one row. */
export async function queryRow<Row>(client: pg.Client, statement: string): Promise<Row> {
  return (await client.query(statement)).rows[0] as Row
}

/** Reports running instances with different settings. They may reject each other's tokens. */
export async function checkInstances(client: pg.Client): Promise<readonly Finding[]> {
  const { text, values } = render(selectRunningInstances)
  const { rows } = await client.query<RunningInstance>(text, values)
  return assessInstances(rows)
}

function assessInstances(instances: readonly RunningInstance[]): readonly Finding[] {
  const found = [...findDisagreements(instances)].map(([setting, groups]) =>
    error(
      'instances',
      `${setting} differs: ${groups.map((group) => group.map(describeInstance).join(', ')).join(' | ')}`,
      'Give all of them the same value, and restart those that have another one. While a change is being rolled out, this is expected.',
    ),
  )
  const identity = instances.filter(({ host }) => host === 'identity')
  const clients = new Set(identity.flatMap((instance) => instance.clients))
  const unknown = identity.flatMap((instance) => {
    const missing = [...clients].filter((id) => !instance.clients.includes(id))
    return missing.length === 0 ? [] : [`${describeInstance(instance)} does not know ${missing.join(', ')}`]
  })
  if (unknown.length > 0)
    found.push(
      error(
        'instances',
        unknown.join('; '),
        'Add these clients to the settings of that instance, or remove them from the other instances.',
      ),
    )
  if (found.length > 0) return found
  const counts = Object.entries(Object.groupBy(instances, ({ host }) => host))
  const running = counts.map(([host, ofHost = []]) => `${ofHost.length} ${host}`).join(', ')
  return [ok('instances', running === '' ? 'none is running' : `${running}, with the same settings`)]
}

const dayHours = 24
/** Allows a daily backup to fail once. */
const backupHoursGood = 2 * dayHours
const backupHoursMax = 7 * dayHours

export async function checkBackup(client: pg.Client): Promise<Finding> {
  const { hours, isArchiving } = await queryRow<{ hours: number | null; isArchiving: boolean }>(
    client,
    `select (select extract(epoch from now() - made_at)::float8 / 3600 from latest_backup) as hours,
      current_setting('archive_mode') <> 'off' as "isArchiving"`,
  )
  return assessBackup(hours ?? undefined, isArchiving)
}

export function assessBackup(hours: number | undefined, isArchiving: boolean): Finding {
  const advice =
    'Run `npm run backup` every day; after a backup by other tools, run `npm run cli -- backed-up`.'
  if (hours === undefined)
    return isArchiving ? ok('backup', 'WAL is archived') : warning('backup', 'none was recorded', advice)
  const age = hours < dayHours ? `${hours.toFixed(1)} hours` : `${(hours / dayHours).toFixed(1)} days`
  const result = `the newest is ${age} old`
  if (hours <= backupHoursGood) return ok('backup', result)
  return hours <= backupHoursMax ? warning('backup', result, advice) : error('backup', result, advice)
}

type KeySettings = Pick<
  IdentitySettings,
  'keySecret' | 'previousKeySecret' | 'dataDirectory' | 'isStoreShared' | 'pinnedKey'
>

/**
 * Checks that the secret of this machine decrypts the current keys of the store. The advice names
 * `Identity__KeyEncryptionSecret`, which takes precedence over `Jwt__SigningKey`, its older name.
 */
export async function checkKeys(client: pg.Client, settings: KeySettings): Promise<Finding> {
  const { rows: all } = await client.query<StoredKey>(
    `select id, purpose, sealed, starts_at <= now() and ends_at > now() as "isCurrent",
       extract(epoch from ends_at - now())::float8 / 3600 as "hoursLeft" from identity_keys`,
  )
  if (all.length === 0)
    return warning('keys', 'the store has no keys yet', 'The identity host creates them at its start.')
  const overdue = findOverdue(all, settings)
  if (overdue !== undefined)
    return error(
      'keys',
      `the newest ${overdue} key has expired or expires within hours, and has no successor`,
      'Start an identity host and read its log: it creates the next key a day before the expiry. If that failed, the log has the reason after `The signing keys could not be renewed.`',
    )
  const rows = all.filter(({ isCurrent }) => isCurrent)
  // A file that cannot be read is treated as missing, because another check reports it.
  const secret = settings.keySecret ?? (await readKeySecret(settings.dataDirectory).catch(() => undefined))
  const needPrevious = rows.filter((row) => !canDecrypt(secret, row))
  const undecryptable = needPrevious.filter((row) => !canDecrypt(settings.previousKeySecret, row))
  const isSecretLocal = settings.isStoreShared && settings.keySecret === undefined
  if (undecryptable.length > 0 && isSecretLocal)
    return ok(
      'keys',
      'not checked: Identity__KeyEncryptionSecret is set for the identity hosts, but not here',
    )
  if (undecryptable.length > 0)
    return error(
      'keys',
      `${undecryptable.length} of ${rows.length} cannot be decrypted with this machine's secret`,
      'Set Identity__KeyEncryptionSecret to the secret of the other instances, or restore identity-secret from a backup. If it is lost: docs/runbooks.md',
    )
  if (needPrevious.length > 0)
    return warning(
      'keys',
      `${needPrevious.length} of ${rows.length} are still encrypted with the previous secret`,
      'npm run cli -- secret rotate',
    )
  if (isSecretLocal)
    return warning(
      'keys',
      'the secret is a file of this machine',
      'Set Identity__KeyEncryptionSecret before another instance starts.',
    )
  return ok('keys', `the secret decrypts all ${rows.length}`)
}

interface StoredKey {
  readonly id: string
  readonly purpose: string
  readonly sealed: Buffer
  readonly isCurrent: boolean
  readonly hoursLeft: number
}

/** A successor is created 24 hours before a key expires. Without one in its last 12 hours, it is overdue. */
const hoursLeftMin = 12

/** Returns the purpose of a key without a successor. A pinned key replaces the keys for `signing`. */
function findOverdue(
  keys: readonly StoredKey[],
  { pinnedKey }: Pick<KeySettings, 'pinnedKey'>,
): string | undefined {
  const purposes = pinnedKey === undefined ? ['signing', 'protection'] : ['protection']
  return purposes.find((purpose) => {
    const ring = keys.filter((key) => key.purpose === purpose)
    return ring.length > 0 && ring.every(({ hoursLeft }) => hoursLeft < hoursLeftMin)
  })
}

const canDecrypt = (secret: string | undefined, { id, purpose, sealed }: StoredKey): boolean =>
  secret !== undefined && secret !== '' && createKeyBox(secret, purpose).open(sealed, id) !== undefined

/** Warns if there is no administrator, because only administrators can manage accounts. */
export async function checkAdministrators(
  client: pg.Client,
  settings: AdministratorOptions,
): Promise<Finding> {
  const query = async <Row>(statement: Sql) => {
    const { text, values } = render(statement)
    return (await client.query(text, values)).rows as Row[]
  }
  const logins = (await findAdministrators({ query }, settings)).map(({ login }) => login)
  const [first, ...otherLogins] = logins
  if (first === undefined)
    return warning(
      'administrators',
      settings.adminLogins.length === 0
        ? 'there is none: no account has the role'
        : 'there is none: no account has a login of SVC_ADMIN_LOGINS',
      'npm run cli -- account make-administrator LOGIN, or account create LOGIN --administrator',
    )
  return ok('administrators', otherLogins.length === 0 ? first : `${first} and ${otherLogins.length} more`)
}
