import pg from 'pg'
import { withClient } from '../db/connections.ts'
import { storeTasks } from '../db/stores.ts'
import { resources } from '../resources/all.ts'

/**
 * Grants the role of each host the privileges in the tables below, and no others. The role of the URL must own
 * the schema.
 */
export function grantPrivileges(url: string, prefix: string): Promise<readonly string[]> {
  return withClient(url, 'roles', async (client) => {
    const roles = Object.keys(privilegesOfHosts).map((host) => roleOf(prefix, host))
    await requireOrdinaryRoles(client, roles)
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    await client.query('begin')
    for (const statement of revocations(rows[0]?.name ?? '', roles)) await client.query(statement)
    for (const [host, privileges] of Object.entries(privilegesOfHosts))
      for (const statement of grantsFor(roleOf(prefix, host), privileges)) await client.query(statement)
    for (const statement of await grantsOnStoreTables(client, prefix)) await client.query(statement)
    for (const [host, functions] of Object.entries(functionsOfHosts))
      await client.query(
        `grant execute on function ${functions.join(', ')} to ${quoteName(roleOf(prefix, host))}`,
      )
    await client.query('commit')
    return roles
  })
}

export const roleOf = (prefix: string, host: string): string => `${prefix}${host}`

/**
 * Throws if a role is missing, or if it has more privileges than are granted here: by its attributes, as the
 * owner of a table, or as a member of another role.
 */
async function requireOrdinaryRoles(client: pg.Client, roles: readonly string[]): Promise<void> {
  const { rows } = await client.query<FoundRole>(
    `select rolname as name, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as "isPrivileged",
       array(select roleid::regrole::text from pg_auth_members where member = role.oid order by 1) as "memberOf",
       exists (select from pg_class where relowner = role.oid) as "ownsTables"
     from pg_roles as role where rolname = any ($1)`,
    [roles],
  )
  const problems = roles.flatMap((role) => {
    const found = rows.find(({ name }) => name === role)
    if (found === undefined) return [`There is no role ${role}: create role ${role} login password '…'`]
    const excess = found.isPrivileged
      ? [`alter role ${role} nosuperuser nocreaterole nocreatedb noreplication nobypassrls`]
      : []
    if (found.ownsTables) excess.push(`reassign owned by ${role} to current_user`)
    for (const group of found.memberOf) excess.push(`revoke ${group} from ${role}`)
    return excess.map((remedy) => `The role ${role} may do more than a host needs: ${remedy}`)
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

interface FoundRole {
  readonly name: string
  readonly isPrivileged: boolean
  readonly memberOf: readonly string[]
  readonly ownsTables: boolean
}

const quoteName = pg.escapeIdentifier

function revocations(database: string, roles: readonly string[]): string[] {
  const all = [...roles.map(quoteName), 'public'].join(', ')
  return [
    `revoke all on database ${quoteName(database)} from ${all}`,
    ...['public', 'bank'].flatMap((schema) => [
      `revoke all on all tables in schema ${schema} from ${all}`,
      `revoke all on all sequences in schema ${schema} from ${all}`,
    ]),
    ...Object.values(functionsOfHosts).flatMap((functions) =>
      functions.map((signature) => `revoke all on function ${signature} from ${all}`),
    ),
    // A database that was created before PostgreSQL 15 allows every role to create tables in this schema.
    `revoke create on schema public from ${all}`,
    `revoke all on schema bank from ${all}`,
    `revoke all on all functions in schema bank from ${all}`,
    `grant connect on database ${quoteName(database)} to ${roles.map(quoteName).join(', ')}`,
  ]
}

/** The hosts that create and change rows of resources. */
const hostsThatWriteRows = ['rest', 'commands', 'identity'] as const

/** In a sharded store, every host that writes rows also writes these tables. Other stores have none. */
async function grantsOnStoreTables(client: pg.Client, prefix: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [storeTasks.ownTables],
  )
  const writers = hostsThatWriteRows.map((host) => quoteName(roleOf(prefix, host)))
  return rows.map(
    (table) => `grant select, insert, update, delete on ${quoteName(table.name)} to ${writers.join(', ')}`,
  )
}

function grantsFor(role: string, privileges: Privileges): string[] {
  const grants = Object.entries(privileges).map(
    ([table, onTable]) =>
      `grant ${onTable.join(', ')} on ${table.split('.').map(quoteName).join('.')} to ${quoteName(role)}`,
  )
  if (!Object.keys(privileges).some((table) => table.startsWith('bank.'))) return grants
  return [
    ...grants,
    `grant usage on schema bank to ${quoteName(role)}`,
    `grant execute on all functions in schema bank to ${quoteName(role)}`,
  ]
}

/** `update (columns)` limits a host to the columns that it writes. */
type Privilege = 'select' | 'insert' | 'update' | `update (${string})` | 'delete'

/** The privileges of the role of a host, by table. */
type Privileges = Readonly<Record<string, readonly Privilege[]>>

const readOnly: readonly Privilege[] = ['select']
const readWrite: readonly Privilege[] = ['select', 'insert', 'update']
const readWriteDelete: readonly Privilege[] = ['select', 'insert', 'update', 'delete']

/** Every instance records itself and compares itself with the others. */
const instancePrivileges: readonly Privilege[] = ['select', 'insert', 'update (clients, seen_at, stopped_at)']

const resourceTables = Object.fromEntries(resources.map(({ table }) => [table, readWrite]))

/** The privileges that hosts need to serve resources, whose rows are marked as removed, never deleted. */
const resourceHostPrivileges: Privileges = {
  ...resourceTables,
  changes: ['select', 'insert', 'delete'],
  history: ['select', 'insert'],
  history_begin: readOnly,
  purges: readOnly,
  history_days: ['select', 'insert'],
  // The triggers that number assignments and keep former keys have the privileges of the host that writes.
  assignment_counters: readWrite,
  assignment_addresses: ['select', 'insert'],
  former_project_keys: ['select', 'insert', 'delete'],
  lockouts: readWriteDelete,
  // A new password ends the account's sessions.
  signin_sessions: ['select', 'update (ended_at)'],
  // Every host that accepts a token records its use.
  api_tokens: ['select', 'update (last_used_at, last_used_address)'],
  // A removed account loses its role.
  administrators: ['select', 'delete'],
  seeded_account: readOnly,
  service_clients: readOnly,
  registered_clients: readOnly,
  revoked_tokens: readOnly,
  consents: readOnly,
  instances: instancePrivileges,
  latest_backup: readOnly,
  migrations: readOnly,
}

/** The functions of each host that run with the privileges of their owner (`security definer`). */
const functionsOfHosts: Readonly<Record<string, readonly string[]>> = {
  rest: ['keep_history(integer)', 'forget_removed(text, text, integer)'],
  commands: ['keep_history(integer)', 'forget_removed(text, text, integer)'],
}

/** The privileges by host. The web host has no role, because it uses no store. */
export const privilegesOfHosts: Readonly<Record<string, Privileges>> = {
  rest: {
    ...resourceHostPrivileges,
    idempotency_keys: readWriteDelete,
    api_tokens: ['select', 'insert', 'update (last_used_at, last_used_address, ended_at)', 'delete'],
    administrators: readWriteDelete,
    account_links: readWriteDelete,
    mails: readWriteDelete,
    account_languages: readOnly,
    verified_logins: readWrite,
    deactivated_accounts: ['select', 'insert', 'delete'],
    outside_identities: ['select', 'delete'],
    // Disconnecting an external identity checks whether its account can still sign in.
    passkeys: readOnly,
    registered_clients: readWrite,
    // Ending a client clears `valid_since` here, where all hosts look it up.
    service_clients: readWrite,
    consents: ['select', 'update (scope, withdrawn_at)'],
    attachment_files: readWriteDelete,
    timers: ['select', 'insert', 'delete'],
    account_settings: readWrite,
    notifications: ['select', 'insert', 'update (workflow_id, actor_id, at, read_at, batch)', 'delete'],
    notification_progress: readWrite,
    notification_mails: readWriteDelete,
    watches: readWriteDelete,
    webhooks: readWriteDelete,
    webhook_deliveries: readWriteDelete,
    webhook_attempts: ['select', 'insert'],
  },
  commands: {
    ...resourceHostPrivileges,
    // This host purges old keys and links. It locks them first, for which PostgreSQL requires the update
    // privilege on some column.
    idempotency_keys: ['select', 'update (created_at)', 'delete'],
    account_links: ['select', 'update (ended_at)', 'delete'],
    // Removing an account checks that the caller is still an administrator.
    deactivated_accounts: readOnly,
  },
  identity: {
    // A first sign-in by an external provider may create an account, in the provider's default project.
    users: ['select', 'insert'],
    projects: readOnly,
    user_projects: ['select', 'insert'],
    changes: ['select', 'insert'],
    history: ['insert'],
    outside_identities: ['select', 'insert', 'update (last_used_at)'],
    registered_clients: readOnly,
    outside_attempts: readWriteDelete,
    lockouts: readWriteDelete,
    signin_sessions: readWriteDelete,
    identity_keys: readWriteDelete,
    authorization_codes: readWriteDelete,
    refresh_tokens: readWriteDelete,
    service_clients: readWrite,
    consents: readWrite,
    administrators: readOnly,
    seeded_account: readOnly,
    deactivated_accounts: readOnly,
    revoked_tokens: readWriteDelete,
    authenticator_apps: readWriteDelete,
    recovery_codes: readWriteDelete,
    mails: readWrite,
    passkeys: readWriteDelete,
    factor_changes: readWrite,
    account_languages: readWrite,
    last_sign_ins: readWrite,
    // Mails are in the chosen language, and have a link that turns off mails about notifications.
    account_settings: ['select', 'update (notification_mails)'],
    verified_logins: readWrite,
    // A changed factor ends the links that other sessions have created.
    account_links: ['select', 'update (ended_at)'],
    spent_steps: readWriteDelete,
    instances: [...instancePrivileges, 'delete'],
    latest_backup: readOnly,
    migrations: readOnly,
  },
  bank: {
    'bank.account': ['select', 'update'],
    'bank.ledger': ['select', 'insert'],
    migrations: readOnly,
  },
}
