import { hash, randomBytes } from 'node:crypto'
import type { Database, Queries } from '../../db/database.ts'
import { raw, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { capitalize } from '../../model/field.ts'
import { text } from '../../model/field-kinds.ts'
import {
  clientNameCharactersMax,
  clientScopes,
  defaultClientScopes,
  isValidRedirectUri,
} from '../../model/oidc-client.ts'
import {
  collectViolations,
  forbidden,
  invalid,
  notFound,
  parseFields,
  parseObject,
  type Violations,
} from '../../model/problem.ts'
import { callerDetails, type SecurityLog } from '../../observability/security-log.ts'

/** An OpenID Connect client that an administrator has created. Identity hosts load it within seconds. */
export interface RegisteredClient extends ClientProperties {
  readonly id: string
  /** True for a confidential client, false for a public one. */
  readonly hasSecret: boolean
  readonly madeBy: string
  readonly createdAt: string
  readonly changedAt: string | null
}

export interface CreatedClient {
  readonly client: RegisteredClient
  /** Shown only once. The database stores its hash. Null for a public client. */
  readonly secret: string | null
}

export interface ClientContext {
  readonly database: Database
  readonly securityLog?: SecurityLog | undefined
}

/** Enough for the apps of one organization. */
export const clientsMax = 100
const clientIdKind = text({ max: 100 })

const clientColumns =
  raw(`client.id, client.name, client.secret_hash is not null as "hasSecret", client.scopes,
  client.redirect_uris as "redirectUris", client.post_logout_redirect_uris as "postLogoutRedirectUris",
  client.is_first_party as "isFirstParty", client.requires_pkce as "requiresPkce", client.made_by as "madeBy",
  client.created_at as "createdAt", client.changed_at as "changedAt"`)

function requireAdministrator({ isAdministrator }: Caller): void {
  if (!isAdministrator) throw forbidden('Only administrators may see and change clients.')
}

export async function listClients({ database }: ClientContext, caller: Caller): Promise<RegisteredClient[]> {
  requireAdministrator(caller)
  return database.query<RegisteredClient>(sql`
    select ${clientColumns} from registered_clients as client where client.ended_at is null
    order by client.created_at desc, client.id limit ${clientsMax}::int`)
}

/** A secret has 256 random bits, for which a fast hash is enough. */
const newSecret = () => randomBytes(32).toString('base64url')
const hashOfSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

export async function createClient(
  context: ClientContext,
  caller: Caller,
  body: unknown,
): Promise<CreatedClient> {
  requireAdministrator(caller)
  const hasSecret = parseHasSecret(body)
  const requested = parseClient(body, hasSecret)
  const secret = hasSecret ? newSecret() : null
  const id = `client-${randomBytes(8).toString('hex')}`
  const client = await context.database.transaction(async (transaction) => {
    // Serializes concurrent creations, so that the limit is exact.
    await transaction.query(sql`lock table registered_clients in share row exclusive mode`)
    const [count] = await transaction.query<{ open: number }>(
      sql`select count(*)::int as open from registered_clients where ended_at is null`,
    )
    if ((count?.open ?? 0) >= clientsMax)
      throw invalid({ generalErrors: [`There may be at most ${clientsMax} clients. End one first.`] })
    const [created] = await transaction.query<RegisteredClient>(sql`
      insert into registered_clients as client (id, name, secret_hash, scopes, redirect_uris,
        post_logout_redirect_uris, is_first_party, requires_pkce, made_by)
      values (${id}, ${requested.name}, ${secret === null ? null : hashOfSecret(secret)}::bytea, ${requested.scopes}::text[],
        ${requested.redirectUris}::text[], ${requested.postLogoutRedirectUris}::text[], ${requested.isFirstParty},
        ${requested.requiresPkce}, ${caller.id})
      returning ${clientColumns}`)
    return created as RegisteredClient
  })
  recordChange(context, caller, id, 'made')
  return { client, secret }
}

/** Changes everything except the secret. An absent property gets its default. */
export async function updateClient(
  context: ClientContext,
  caller: Caller,
  body: unknown,
): Promise<RegisteredClient> {
  requireAdministrator(caller)
  const { id } = parseFields(body, { id: clientIdKind })
  const changed = await context.database.transaction(async (transaction) => {
    const { hasSecret } = await lockClient(transaction, id)
    const requested = parseClient(body, hasSecret)
    const [row] = await transaction.query<RegisteredClient>(sql`
      update registered_clients as client set name = ${requested.name}, scopes = ${requested.scopes}::text[],
        redirect_uris = ${requested.redirectUris}::text[],
        post_logout_redirect_uris = ${requested.postLogoutRedirectUris}::text[],
        is_first_party = ${requested.isFirstParty}, requires_pkce = ${requested.requiresPkce}, changed_at = now()
      where id = ${id} returning ${clientColumns}`)
    return row as RegisteredClient
  })
  recordChange(context, caller, id, 'changed')
  return changed
}

/** The previous secret becomes invalid as soon as the identity hosts load the new one. */
export async function renewClientSecret(
  context: ClientContext,
  caller: Caller,
  body: unknown,
): Promise<CreatedClient> {
  requireAdministrator(caller)
  const { id } = parseFields(body, { id: clientIdKind })
  const secret = newSecret()
  const client = await context.database.transaction(async (transaction) => {
    const { hasSecret } = await lockClient(transaction, id)
    if (!hasSecret) throw invalid({ id: ['This client is public: it has no secret.'] })
    const [row] = await transaction.query<RegisteredClient>(sql`
      update registered_clients as client set secret_hash = ${hashOfSecret(secret)}, changed_at = now()
      where id = ${id} returning ${clientColumns}`)
    return row as RegisteredClient
  })
  recordChange(context, caller, id, 'secret')
  return { client, secret }
}

/** Ends a client: users can no longer sign in to it, and its tokens stop working within 30 seconds. */
export async function endClient(context: ClientContext, caller: Caller, body: unknown): Promise<void> {
  requireAdministrator(caller)
  const { id } = parseFields(body, { id: clientIdKind })
  await context.database.transaction(async (transaction) => {
    await lockClient(transaction, id)
    await transaction.query(sql`update registered_clients set ended_at = now() where id = ${id}`)
    // All hosts reject tokens of the client that were issued before `valid_since`. Null rejects all of them.
    await transaction.query(sql`
      insert into service_clients (id, valid_since) values (${id}, null)
      on conflict (id) do update set valid_since = null`)
  })
  recordChange(context, caller, id, 'ended')
}

async function lockClient(transaction: Queries, id: string): Promise<{ readonly hasSecret: boolean }> {
  const [client] = await transaction.query<{ hasSecret: boolean }>(sql`
    select secret_hash is not null as "hasSecret" from registered_clients
    where id = ${id} and ended_at is null for update`)
  if (!client) throw notFound('Client')
  return client
}

const recordChange = (
  { securityLog }: ClientContext,
  caller: Caller,
  client: string,
  outcome: 'made' | 'changed' | 'secret' | 'ended',
): void =>
  securityLog?.({ event: 'client-changed', outcome, ...callerDetails(caller), by: caller.id, client })

/** The properties of a client that an administrator chooses. */
interface ClientProperties {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly scopes: readonly string[]
  readonly isFirstParty: boolean
  readonly requiresPkce: boolean
}

export const clientUrisMax = 20
export const clientUriCharactersMax = 1000

type Body = Readonly<Record<string, unknown>>

/** Reports all violations at once. An absent property gets its default. */
function parseClient(body: unknown, hasSecret: boolean): ClientProperties {
  const fields = parseObject(body)
  const violations = collectViolations()
  const requested: ClientProperties = {
    name: parseName(fields, violations),
    redirectUris: parseUris(fields, 'redirectUris', violations),
    postLogoutRedirectUris: parseUris(fields, 'postLogoutRedirectUris', violations),
    scopes: parseScopes(fields, violations),
    isFirstParty: parseBoolean(fields, 'isFirstParty', false, violations),
    requiresPkce: parseBoolean(fields, 'requiresPkce', true, violations),
  }
  const redirectUris = fields.redirectUris ?? []
  if (Array.isArray(redirectUris) && redirectUris.length === 0)
    violations.add('redirectUris', 'RedirectUris must have at least one address.')
  if (!requested.requiresPkce && !hasSecret)
    violations.add('requiresPkce', 'RequiresPkce must be true for a client without a secret.')
  violations.throwIfAny()
  return requested
}

function parseName({ name }: Body, violations: Violations): string {
  const parsed = text({ max: clientNameCharactersMax }).parse(name, 'Name')
  if ('value' in parsed && parsed.value !== '') return parsed.value
  violations.add('name', ...('problems' in parsed ? parsed.problems : ['Name is required.']))
  return ''
}

/** The URIs are stored unchanged, because requests must name them exactly. */
function parseUris(fields: Body, name: string, violations: Violations): readonly string[] {
  const input = fields[name] ?? []
  const isValid =
    Array.isArray(input) &&
    input.length <= clientUrisMax &&
    input.every(
      (uri) => typeof uri === 'string' && uri.length <= clientUriCharactersMax && isStorableUri(uri),
    )
  if (isValid) return [...new Set(input)]
  violations.add(
    name,
    `${capitalize(name)} must have at most ${clientUrisMax} addresses with http or https, or of an app such as com.example.app:/callback, without a fragment, a user name or white space.`,
  )
  return []
}

const isStorableUri = (uri: string): boolean => isValidRedirectUri(uri) && uri.isWellFormed()

function parseScopes({ scopes = defaultClientScopes }: Body, violations: Violations): readonly string[] {
  const isValid =
    Array.isArray(scopes) && scopes.length > 0 && scopes.every((scope) => clientScopes.includes(scope))
  if (isValid) return clientScopes.filter((scope) => scopes.includes(scope))
  violations.add('scopes', `Scopes can have ${clientScopes.join(', ')}.`)
  return []
}

function parseBoolean(fields: Body, name: string, defaultValue: boolean, violations: Violations): boolean {
  const value = fields[name] ?? defaultValue
  if (typeof value === 'boolean') return value
  violations.add(name, `${capitalize(name)} must be true or false.`)
  return defaultValue
}

function parseHasSecret(body: unknown): boolean {
  const { hasSecret = true } = parseObject(body)
  if (typeof hasSecret !== 'boolean') throw invalid({ hasSecret: ['HasSecret must be true or false.'] })
  return hasSecret
}
