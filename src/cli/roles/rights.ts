import { resources } from '../../resources/all.ts'

/** A column that a host does not write is not in its right to update. */
type Right = 'select' | 'insert' | 'update' | `update (${string})` | 'delete'

/** The rights of one host's role, by table; what is not here is refused by the database. */
export type Rights = Readonly<Record<string, readonly Right[]>>

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
  // Every host that accepts one records its use.
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

/** What a host may call that does more than its own role may. */
export const functionsOfHosts: Readonly<Record<string, readonly string[]>> = {
  rest: ['keep_history(integer)', 'forget_removed(text, text, integer)'],
  commands: ['keep_history(integer)', 'forget_removed(text, text, integer)'],
}

/** By host. The web client has no store, so it has no role. */
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
    // Who ends a client says so to all hosts.
    service_clients: writes,
    consents: ['select', 'update (scope, withdrawn_at)'],
    webhooks: keeps,
    webhook_deliveries: keeps,
    webhook_attempts: ['select', 'insert'],
  },
  // Only to forget what is old, which any host of the tracker does.
  commands: { ...tracker, idempotency_keys: ['select', 'delete'] },
  identity: {
    // A first sign-in by an outside provider may make an account, in the provider's default project.
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
    // A changed factor ends the links that the other sign-ins have made.
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
