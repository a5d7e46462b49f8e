import pg from 'pg'
import { withClient } from '../db/connections.ts'
import { storeTasks } from '../db/stores.ts'
import { resources } from '../resources/all.ts'

export const roleOf = (prefix: string, host: string): string => `${prefix}${host}`

/** Grants each host's role exactly its rights and nothing else; run by the role that owns the schema. */
export function grantRights(url: string, prefix: string): Promise<readonly string[]> {
  return withClient(url, 'roles', async (client) => {
    const roles = Object.keys(rightsOfHosts).map((host) => roleOf(prefix, host))
    await requireOrdinaryRoles(client, roles)
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    await client.query('begin')
    for (const statement of revocations(rows[0]?.name ?? '', roles)) await client.query(statement)
    for (const [host, rights] of Object.entries(rightsOfHosts))
      for (const statement of grantsFor(roleOf(prefix, host), rights)) await client.query(statement)
    for (const statement of await grantsOnStoreTables(client, prefix)) await client.query(statement)
    for (const [host, functions] of Object.entries(functionsOfHosts))
      await client.query(
        `grant execute on function ${functions.join(', ')} to ${quoteName(roleOf(prefix, host))}`,
      )
    await client.query('commit')
    return roles
  })
}

/** A role that has more rights, by its attributes, as an owner or as a member of another role, is not limited by grants. */
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
    // Databases from before PostgreSQL 15 let every role create tables here.
    `revoke create on schema public from ${all}`,
    `revoke all on schema bank from ${all}`,
    `revoke all on all functions in schema bank from ${all}`,
    `grant connect on database ${quoteName(database)} to ${roles.map(quoteName).join(', ')}`,
  ]
}

/** The hosts that create and change rows of resources. */
const hostsThatWriteRows = ['rest', 'commands', 'identity'] as const

/** A sharded store has bookkeeping tables, which every host that writes rows must write, too. */
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

function grantsFor(role: string, rights: Rights): string[] {
  const grants = Object.entries(rights).map(
    ([table, tableRights]) =>
      `grant ${tableRights.join(', ')} on ${table.split('.').map(quoteName).join('.')} to ${quoteName(role)}`,
  )
  if (!Object.keys(rights).some((table) => table.startsWith('bank.'))) return grants
  return [
    ...grants,
    `grant usage on schema bank to ${quoteName(role)}`,
    `grant execute on all functions in schema bank to ${quoteName(role)}`,
  ]
}

/** A right such as `update (columns)` limits a host to the columns that it writes. */
type Right = 'select' | 'insert' | 'update' | `update (${string})` | 'delete'

/** The rights of one host's role, by table; the database rejects everything else. */
type Rights = Readonly<Record<string, readonly Right[]>>

const readOnly: readonly Right[] = ['select']
const readWrite: readonly Right[] = ['select', 'insert', 'update']
const readWriteDelete: readonly Right[] = ['select', 'insert', 'update', 'delete']

/** Every instance records itself and compares itself with the others. */
const instanceRights: readonly Right[] = ['select', 'insert', 'update (clients, seen_at, stopped_at)']

const resourceTables = Object.fromEntries(resources.map(({ table }) => [table, readWrite]))

/** The rights that hosts need to serve resources, whose rows are never deleted, only marked. */
const resourceHostRights: Rights = {
  ...resourceTables,
  changes: ['select', 'insert', 'delete'],
  history: ['select', 'insert'],
  history_begin: readOnly,
  purges: readOnly,
  history_days: ['select', 'insert'],
  // Triggers number assignments and keep former keys with the rights of the host that writes them.
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
  instances: instanceRights,
  latest_backup: readOnly,
  migrations: readOnly,
}

/** The functions that a host may call with the rights of their owner (`security definer`). */
const functionsOfHosts: Readonly<Record<string, readonly string[]>> = {
  rest: ['keep_history(integer)', 'forget_removed(text, text, integer)'],
  commands: ['keep_history(integer)', 'forget_removed(text, text, integer)'],
}

/** The rights by host. The web host uses no store, so it has no role. */
export const rightsOfHosts: Readonly<Record<string, Rights>> = {
  rest: {
    ...resourceHostRights,
    idempotency_keys: readWriteDelete,
    api_tokens: ['select', 'insert', 'update (last_used_at, last_used_address, ended_at)', 'delete'],
    administrators: readWriteDelete,
    account_links: readWriteDelete,
    mails: readWriteDelete,
    account_languages: readOnly,
    verified_logins: readWrite,
    deactivated_accounts: ['select', 'insert', 'delete'],
    outside_identities: ['select', 'delete'],
    // Tells which accounts can sign in without an external identity.
    passkeys: readOnly,
    registered_clients: readWrite,
    // Ending a client clears `valid_since` here, where all hosts look it up.
    service_clients: readWrite,
    consents: ['select', 'update (scope, withdrawn_at)'],
    attachment_files: readWriteDelete,
    timers: ['select', 'insert', 'delete'],
    account_settings: readWrite,
    notifications: ['select', 'insert', 'update (read_at)', 'delete'],
    notification_progress: readWrite,
    notification_mails: readWriteDelete,
    watches: readWriteDelete,
    webhooks: readWriteDelete,
    webhook_deliveries: readWriteDelete,
    webhook_attempts: ['select', 'insert'],
  },
  commands: {
    ...resourceHostRights,
    // This host purges old keys. PostgreSQL allows row locks only to roles that may update some column.
    idempotency_keys: ['select', 'update (created_at)', 'delete'],
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
    // Mails are in the chosen language, and a link in them ends those about notifications.
    account_settings: ['select', 'update (notification_mails)'],
    verified_logins: readWrite,
    // A changed factor ends the links that other sessions have created.
    account_links: ['select', 'update (ended_at)'],
    spent_steps: readWriteDelete,
    instances: [...instanceRights, 'delete'],
    latest_backup: readOnly,
    migrations: readOnly,
  },
  bank: {
    'bank.account': ['select', 'update'],
    'bank.ledger': ['select', 'insert'],
    migrations: readOnly,
  },
}
