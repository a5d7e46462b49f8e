import { parseUserId, requireSelfOrAdministrator } from '../accounts/sessions.ts'
import { generateToken, hashOfToken, personalTokenPrefix } from '../accounts/token-text.ts'
import type { Queries } from '../db/database.ts'
import { newId } from '../db/rows.ts'
import { raw, sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { text, timestamp, uuid } from '../model/field-kinds.ts'
import {
  collectViolations,
  invalid,
  notFound,
  parseObject,
  unauthenticated,
  type Violations,
} from '../model/problem.ts'
import { nameCharactersMax } from '../model/text.ts'
import { callerDetails } from '../observability/security-log.ts'
import type { Context } from '../records/context.ts'
import { tokenScopes } from '../records/rights.ts'
import { visibleRows } from '../records/visible-rows.ts'
import { project } from '../resources/project.ts'
import type { Route } from '../routes/route.ts'
import { dateTime, idsBodyOf, nullableDateTime, ref } from '../routes/schemas.ts'

/** The limit of an account's valid tokens. */
const tokensMax = 50
const tokenIdsMax = 100
const tokenDaysMax = 365
const tokenProjectsMax = 20

const scopes = {
  type: 'array',
  items: { type: 'string', examples: ['assignment:read'] },
  minItems: 1,
  // Not an enum, because more scopes will follow.
  description: `The granted access by resource, to read or to read and write: ${tokenScopes.join(', ')}.`,
}
const projectIds = {
  type: ['array', 'null'],
  items: uuid.schema,
  minItems: 1,
  maxItems: tokenProjectsMax,
  description: 'The projects it is limited to; null for all projects of the account.',
}

export const tokenSchemas: Readonly<Record<string, Schema>> = {
  Token: {
    type: 'object',
    required: [
      'id',
      'userId',
      'name',
      'scopes',
      'projectIds',
      'createdAt',
      'expiresAt',
      'lastUsedAt',
      'lastUsedAddress',
    ],
    properties: {
      id: { ...uuid.schema, description: 'Its id, by which history and the security log refer to it.' },
      userId: { ...uuid.schema, description: 'The account that it acts for.' },
      name: {
        type: 'string',
        description: 'The name under which it is listed.',
        examples: ['Nightly build'],
      },
      scopes,
      projectIds,
      createdAt: { ...dateTime, description: 'The time it was created.' },
      expiresAt: { ...dateTime, description: 'The time it expires.' },
      lastUsedAt: {
        ...nullableDateTime,
        description: 'The time of its last use, to the minute.',
      },
      lastUsedAddress: { type: ['string', 'null'], description: 'The network address of its last use.' },
    },
  },
  TokenList: {
    type: 'object',
    required: ['tokens'],
    properties: {
      tokens: {
        type: 'array',
        items: ref('Token'),
        maxItems: tokensMax,
        description: 'Sorted from newest to oldest.',
      },
    },
  },
  TokenCreate: {
    type: 'object',
    required: ['name', 'scopes', 'expiresAt'],
    properties: {
      name: {
        ...text({ max: nameCharactersMax }).schema,
        minLength: 1,
        description: 'The name under which it is listed.',
        examples: ['Nightly build'],
      },
      scopes,
      projectIds,
      expiresAt: { ...dateTime, description: `At most ${tokenDaysMax} days from now.` },
    },
  },
  TokenCreated: {
    type: 'object',
    required: ['token', 'secret'],
    properties: {
      token: ref('Token'),
      secret: { type: 'string', description: 'The token itself. It is shown only once.' },
    },
  },
  TokenIds: idsBodyOf(uuid.schema, tokenIdsMax),
}

const tag = 'Tokens'
const path = '/ext/tokens'

/**
 * Manages the personal access tokens of the caller's account. Administrators list and end the tokens of any
 * account.
 */
export const tokenRoutes: readonly Route[] = [
  {
    id: 'ListTokens',
    tag,
    summary: 'Lists the valid tokens of the caller’s account. Administrators may list those of any account.',
    description: 'Each token has its scopes, its expiry, and the time and address of its last use.',
    method: 'GET',
    path,
    parameters: [
      { name: 'userId', description: 'The account; by default the caller’s.', schema: uuid.schema },
    ],
    response: ref('TokenList'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      const { userId } = request.query as Readonly<Record<string, unknown>>
      return { body: { tokens: await listTokens(context, caller, parseUserId(userId) ?? caller.id) } }
    },
  },
  {
    id: 'MakeToken',
    tag,
    summary: 'Creates a personal access token, which programs send as a bearer token.',
    description:
      'It grants its scopes in the projects it is limited to, and never more than the account itself has. It ends when the account gets a new password, ends all of its sessions or is removed. Tokens can only be created in a session of the web client.',
    method: 'POST',
    path,
    body: ref('TokenCreate'),
    response: ref('TokenCreated'),
    errors: [400, 403],
    requiresWebClient: true,
    async handle({ context, caller, session, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await createToken(context, caller, session.isActiveNow, request.body) }
    },
  },
  {
    id: 'EndTokens',
    tag,
    summary: 'Ends these tokens, all or none: they stop working within 30 seconds.',
    description: 'Only administrators can end tokens of other accounts; other callers get 404.',
    method: 'DELETE',
    path,
    body: ref('TokenIds'),
    response: ref('Success'),
    errors: [404],
    async handle({ context, caller, request }) {
      await endTokens(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]

/** A token as its owner and administrators see it. */
interface ApiToken {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly projectIds: readonly string[] | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly lastUsedAt: string | null
  readonly lastUsedAddress: string | null
}

/** The number of ended tokens that are kept, so that their names can still be looked up in the database. */
const endedTokensMax = 50

const columns =
  raw(`token.id, token.user_id as "userId", token.name, token.scopes, token.project_ids as "projectIds",
  token.created_at as "createdAt", token.expires_at as "expiresAt", token.last_used_at as "lastUsedAt",
  token.last_used_address as "lastUsedAddress"`)

const isTokenActiveSql = raw(`token.ended_at is null and token.expires_at > now() and exists (
  select 1 from users as account where account.id = token.user_id and account.active
    and account.security_stamp = token.security_stamp)`)

/** Returns the tokens of the caller's account, or of any account for administrators, newest first. */
function listTokens({ database }: Context, caller: Caller, userId: string): Promise<ApiToken[]> {
  requireSelfOrAdministrator(caller, userId, 'tokens')
  return database.query<ApiToken>(sql`
    select ${columns} from api_tokens as token where token.user_id = ${userId} and ${isTokenActiveSql}
    order by token.created_at desc, token.id limit ${tokensMax}::int`)
}

interface CreatedToken {
  readonly token: ApiToken
  /** Shown only once. The database stores its hash. */
  readonly secret: string
}

/**
 * Only a session of the web client may create tokens: a leaked token of a program or an app must not create
 * more.
 */
async function createToken(
  { database, securityLog }: Context,
  caller: Caller,
  isActiveNow: (queries: Queries) => Promise<boolean>,
  body: unknown,
): Promise<CreatedToken> {
  const newToken = parseNewToken(body)
  const secret = generateToken(personalTokenPrefix)
  const token = await database.transaction(async (transaction) => {
    // The account is locked, so that concurrent creations are counted one after the other, and a new password
    // ends their tokens.
    const [account] = await transaction.query<{ stamp: string }>(sql`
      select security_stamp as stamp from users where id = ${caller.id} and active for no key update`)
    // The token gets the newest stamp, so the session that creates it has to have the same.
    if (!account || !(await isActiveNow(transaction))) throw unauthenticated()
    await requireFewerTokens(transaction, caller.id)
    await requireVisibleProjects(transaction, caller, newToken.projectIds)
    return insertToken(transaction, caller.id, account.stamp, newToken, secret)
  })
  securityLog?.({ event: 'token-made', ...callerDetails(caller), token: token.id })
  return { token, secret }
}

async function insertToken(
  transaction: Queries,
  accountId: string,
  stamp: string,
  { name, scopes, projectIds, expiresAt }: NewToken,
  secret: string,
): Promise<ApiToken> {
  const [token] = await transaction.query<ApiToken>(sql`
    insert into api_tokens as token (id, user_id, hash, security_stamp, name, scopes, project_ids, expires_at)
    values (${newId()}, ${accountId}, ${hashOfToken(secret, personalTokenPrefix)}, ${stamp}, ${name}, ${scopes}::text[],
      ${projectIds ?? null}::uuid[], ${expiresAt})
    returning ${columns}`)
  return token as ApiToken
}

/** Throws if the account has as many valid tokens as allowed. Otherwise deletes all but its newest ended tokens. */
async function requireFewerTokens(transaction: Queries, accountId: string): Promise<void> {
  const [count] = await transaction.query<{ count: number }>(sql`
    select count(*) as count from api_tokens as token where token.user_id = ${accountId} and ${isTokenActiveSql}`)
  if ((count?.count ?? 0) >= tokensMax)
    throw invalid({ generalErrors: [`An account may have at most ${tokensMax} tokens. End one first.`] })
  await transaction.query(sql`
    delete from api_tokens where id in (
      select token.id from api_tokens as token where token.user_id = ${accountId} and not (${isTokenActiveSql})
      order by token.created_at desc offset ${endedTokensMax}::int)`)
}

async function requireVisibleProjects(
  transaction: Queries,
  caller: Caller,
  ids: NewToken['projectIds'],
): Promise<void> {
  if (!ids) return
  const visible = await transaction.query(sql`
    select 1 from projects as row where row.id = any(${ids}::uuid[]) and row.active and ${visibleRows(project, caller)}`)
  if (visible.length < ids.length)
    throw invalid({ projectIds: ['ProjectIds must refer to active projects of yours.'] })
}

/** Ends all of these tokens or none. Users who are not administrators see only their own. */
async function endTokens({ database, securityLog }: Context, caller: Caller, body: unknown): Promise<void> {
  const ids = parseTokenIds(body)
  const ended = await database.transaction(async (transaction) => {
    const found = await transaction.query<{ id: string; userId: string }>(sql`
      select token.id, token.user_id as "userId" from api_tokens as token
      where token.id = any(${ids}::uuid[]) and ${isTokenActiveSql} and (${caller.isAdministrator} or token.user_id = ${caller.id})
      order by token.id for no key update`)
    if (found.length < ids.length) throw notFound('Token')
    await transaction.query(sql`update api_tokens set ended_at = now() where id = any(${ids}::uuid[])`)
    return found
  })
  for (const { id: token, userId: account } of ended)
    securityLog?.({ event: 'token-ended', ...callerDetails(caller), account, by: caller.id, token })
}

interface NewToken {
  readonly name: string
  readonly scopes: readonly string[]
  readonly projectIds: readonly string[] | undefined
  readonly expiresAt: string
}

const dayMilliseconds = 24 * 60 * 60_000

function parseNewToken(body: unknown): NewToken {
  const fields = parseObject(body)
  const violations = collectViolations()
  const parsed = {
    name: parseName(fields.name, violations),
    scopes: parseScopes(fields.scopes, violations),
    projectIds: parseProjectIds(fields.projectIds, violations),
    expiresAt: parseExpiry(fields.expiresAt, violations),
  }
  violations.throwIfAny()
  return parsed
}

function parseName(input: unknown, violations: Violations): string {
  const parsed = text({ max: nameCharactersMax }).parse(input ?? '', 'Name')
  if ('value' in parsed && parsed.value !== '') return parsed.value
  violations.add('name', ...('value' in parsed ? ['Name is required.'] : parsed.problems))
  return ''
}

function parseScopes(input: unknown, violations: Violations): readonly string[] {
  const scopes: readonly unknown[] = Array.isArray(input) ? input : []
  const isValid = (scope: unknown): scope is string =>
    typeof scope === 'string' && tokenScopes.includes(scope)
  if (scopes.length === 0) violations.add('scopes', 'Scopes must be a list with at least one scope.')
  else if (scopes.length > tokenScopes.length || !scopes.every(isValid))
    violations.add('scopes', `Scopes must be some of ${tokenScopes.join(', ')}.`)
  return [...new Set(scopes.filter(isValid))].sort()
}

function parseProjectIds(input: unknown, violations: Violations): readonly string[] | undefined {
  if (input === undefined || input === null) return undefined
  const ids = parseUuidsOrEmpty(input, tokenProjectsMax)
  if (ids.length === 0)
    violations.add('projectIds', `ProjectIds must be null or 1 to ${tokenProjectsMax} ids of projects.`)
  return ids
}

function parseExpiry(input: unknown, violations: Violations): string {
  const parsed = timestamp.parse(input, 'ExpiresAt')
  const value = 'value' in parsed ? parsed.value : ''
  const remaining = Date.parse(value) - Date.now()
  if (input === undefined || input === null) violations.add('expiresAt', 'ExpiresAt is required.')
  else if ('problems' in parsed) violations.add('expiresAt', ...parsed.problems)
  else if (!(remaining > 0 && remaining <= tokenDaysMax * dayMilliseconds))
    violations.add('expiresAt', `ExpiresAt must be in the future, within ${tokenDaysMax} days.`)
  return value
}

function parseTokenIds(body: unknown): readonly string[] {
  const ids = parseUuidsOrEmpty(parseObject(body).ids, tokenIdsMax)
  const violations = collectViolations()
  if (ids.length === 0) violations.add('ids', `Ids must contain 1 to ${tokenIdsMax} ids of tokens.`)
  violations.throwIfAny()
  return ids
}

/** Returns no ids if the input is invalid in any way, because no valid list is empty. */
function parseUuidsOrEmpty(input: unknown, max: number): readonly string[] {
  const results = Array.isArray(input) && input.length <= max ? input.map((id) => uuid.parse(id, 'Id')) : []
  const ids = results.flatMap((parsed) => ('value' in parsed ? [parsed.value] : []))
  return ids.length === results.length ? [...new Set(ids)] : []
}
