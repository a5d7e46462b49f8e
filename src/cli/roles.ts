import pg from 'pg'
import { storeTasks } from '../db/stores.ts'
import { resources } from '../resources/all.ts'

export const roleOf = (prefix: string, host: string): string => `${prefix}${host}`

/** Grants each host's role exactly its rights and nothing else; run by the role that owns the schema. */
export async function grantRights(url: string, prefix: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'roles' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const roles = Object.keys(rightsOfHosts).map((host) => roleOf(prefix, host))
    await requireOrdinaryRoles(client, roles)
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    await client.query('begin')
    for (const statement of closeToAll(rows[0]?.name ?? '', roles)) await client.query(statement)
    for (const [host, rights] of Object.entries(rightsOfHosts))
      for (const statement of openTo(roleOf(prefix, host), rights)) await client.query(statement)
    for (const statement of await openToWriters(client, prefix)) await client.query(statement)
    for (const [host, functions] of Object.entries(functionsOfHosts))
      await client.query(`grant execute on function ${functions.join(', ')} to ${name(roleOf(prefix, host))}`)
    await client.query('commit')
    return roles
  } finally {
    await client.end()
  }
}

/** Grants do not restrict a role that may do everything anyway. */
async function requireOrdinaryRoles(client: pg.Client, roles: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ rolname: string; mighty: boolean }>(
    `select rolname, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as mighty
     from pg_roles where rolname = any ($1)`,
    [roles],
  )
  const problems = roles.flatMap((role) => {
    const found = rows.find(({ rolname }) => rolname === role)
    if (found === undefined) return [`There is no role ${role}: create role ${role} login password '…'`]
    return found.mighty
      ? [`The role ${role} may do more than a host needs: alter role ${role} nosuperuser nocreaterole …`]
      : []
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

const name = pg.escapeIdentifier

function closeToAll(database: string, roles: readonly string[]): string[] {
  const all = [...roles.map(name), 'public'].join(', ')
  return [
    `revoke all on database ${name(database)} from ${all}`,
    ...['public', 'bank'].flatMap((schema) => [
      `revoke all on all tables in schema ${schema} from ${all}`,
      `revoke all on all sequences in schema ${schema} from ${all}`,
    ]),
    ...Object.values(functionsOfHosts).flatMap((functions) =>
      functions.map((one) => `revoke all on function ${one} from ${all}`),
    ),
    `revoke all on schema bank from ${all}`,
    `revoke all on all functions in schema bank from ${all}`,
    `grant connect on database ${name(database)} to ${roles.map(name).join(', ')}`,
  ]
}

/** The store may have additional tables, to which every role that writes rows writes too. */
async function openToWriters(client: pg.Client, prefix: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [storeTasks.ownTables],
  )
  const writers = Object.keys(functionsOfHosts).map((host) => name(roleOf(prefix, host)))
  return rows.map(
    (table) => `grant select, insert, update, delete on ${name(table.name)} to ${writers.join(', ')}`,
  )
}

function openTo(role: string, rights: Rights): string[] {
  const grants = Object.entries(rights).map(
    ([table, verbs]) =>
      `grant ${verbs.join(', ')} on ${table.split('.').map(name).join('.')} to ${name(role)}`,
  )
  if (!Object.keys(rights).some((table) => table.startsWith('bank.'))) return grants
  return [
    ...grants,
    `grant usage on schema bank to ${name(role)}`,
    `grant execute on all functions in schema bank to ${name(role)}`,
  ]
}

/** A host has no right to update a column that it does not write. */
type Right = 'select' | 'insert' | 'update' | `update (${string})` | 'delete'

/** The rights of one host's role, by table; the database rejects everything else. */
type Rights = Readonly<Record<string, readonly Right[]>>

const reads: readonly Right[] = ['select']
const writes: readonly Right[] = ['select', 'insert', 'update']
const keeps: readonly Right[] = ['select', 'insert', 'update', 'delete']

const resourceTables = Object.fromEntries(resources.map(({ table }) => [table, writes]))

/** Rows of resources are never deleted, only marked; a new password ends the account's sessions. */
const tracker: Rights = {
  ...resourceTables,
  changes: ['select', 'insert', 'delete'],
  history: ['select', 'insert'],
  history_begin: reads,
  purges: reads,
  history_days: ['select', 'insert'],
  lockouts: keeps,
  signin_sessions: ['select', 'update (ended_at)'],
  // Every host that accepts a token records its use.
  api_tokens: ['select', 'update (last_used_at, last_used_address)'],
  // A removed account loses its role.
  administrators: ['select', 'delete'],
  seeded_account: reads,
  service_clients: reads,
  registered_clients: reads,
  revoked_tokens: reads,
  consents: reads,
  migrations: reads,
}

/** Functions that a host may call, which do more than its own role may. */
const functionsOfHosts: Readonly<Record<string, readonly string[]>> = {
  rest: ['keep_history(integer)', 'forget_removed(text, text, integer)'],
  commands: ['keep_history(integer)', 'forget_removed(text, text, integer)'],
}

/** The rights by host. The web client uses no store, so it has no role. */
export const rightsOfHosts: Readonly<Record<string, Rights>> = {
  rest: {
    ...tracker,
    idempotency_keys: keeps,
    api_tokens: ['select', 'insert', 'update (last_used_at, last_used_address, ended_at)', 'delete'],
    administrators: keeps,
    account_links: keeps,
    mails: keeps,
    account_languages: reads,
    deactivated_accounts: ['select', 'insert', 'delete'],
    outside_identities: ['select', 'delete'],
    registered_clients: writes,
    // Ending a client notifies all hosts.
    service_clients: writes,
    consents: ['select', 'update (scope, withdrawn_at)'],
    webhooks: keeps,
    webhook_deliveries: keeps,
    webhook_attempts: ['select', 'insert'],
  },
  // Needed only to purge old keys, which every host of the tracker does.
  commands: { ...tracker, idempotency_keys: ['select', 'delete'] },
  identity: {
    // A first sign-in by an external provider may create an account, in the provider's default project.
    users: ['select', 'insert'],
    projects: reads,
    user_projects: ['select', 'insert'],
    changes: ['select', 'insert'],
    history: ['insert'],
    outside_identities: ['select', 'insert', 'update (last_used_at)'],
    registered_clients: reads,
    outside_attempts: ['select', 'insert', 'update', 'delete'],
    lockouts: keeps,
    signin_sessions: keeps,
    identity_keys: keeps,
    authorization_codes: keeps,
    refresh_tokens: keeps,
    service_clients: writes,
    consents: writes,
    administrators: reads,
    seeded_account: reads,
    deactivated_accounts: reads,
    revoked_tokens: keeps,
    authenticator_apps: keeps,
    recovery_codes: keeps,
    mails: writes,
    passkeys: keeps,
    factor_changes: writes,
    account_languages: writes,
    // A changed factor ends the links that other sessions have created.
    account_links: ['select', 'update (ended_at)'],
    spent_steps: keeps,
    migrations: reads,
  },
  bank: {
    'bank.account': ['select', 'update'],
    'bank.ledger': ['select', 'insert'],
    migrations: reads,
  },
}
