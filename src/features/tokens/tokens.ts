import { requireSelfOrAdministrator } from '../../accounts/sessions.ts'
import { generateToken, hashOfToken, personalTokenPrefix } from '../../accounts/token-text.ts'
import type { Queries } from '../../db/database.ts'
import { newId } from '../../db/rows.ts'
import { raw, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { text, timestamp, uuid } from '../../model/field-kinds.ts'
import {
  collectViolations,
  invalid,
  notFound,
  parseObject,
  unauthenticated,
  type Violations,
} from '../../model/problem.ts'
import { nameCharactersMax } from '../../model/text.ts'
import { callerDetails } from '../../observability/security-log.ts'
import type { Context } from '../../records/context.ts'
import { tokenScopes } from '../../records/rights.ts'
import { visibleRows } from '../../records/visible-rows.ts'
import { project } from '../../resources/project.ts'

/** A token as its owner and administrators see it. */
export interface ApiToken {
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

/** The limit of valid tokens of an account. */
export const tokensMax = 50
/** This many ended tokens are kept, so that their names can still be looked up in the database. */
const endedTokensMax = 50

const columns =
  raw(`token.id, token.user_id as "userId", token.name, token.scopes, token.project_ids as "projectIds",
  token.created_at as "createdAt", token.expires_at as "expiresAt", token.last_used_at as "lastUsedAt",
  token.last_used_address as "lastUsedAddress"`)

const isActiveToken = raw(`token.ended_at is null and token.expires_at > now() and exists (
  select 1 from users as account where account.id = token.user_id and account.active
    and account.security_stamp = token.security_stamp)`)

/** The tokens of the caller's account, or of any account for administrators, newest first. */
export function listTokens({ database }: Context, caller: Caller, userId: string): Promise<ApiToken[]> {
  requireSelfOrAdministrator(caller, userId, 'tokens')
  return database.query<ApiToken>(sql`
    select ${columns} from api_tokens as token where token.user_id = ${userId} and ${isActiveToken}
    order by token.created_at desc, token.id limit ${tokensMax}::int`)
}

export interface CreatedToken {
  readonly token: ApiToken
  /** Shown only once; the database stores its hash. */
  readonly secret: string
}

/**
 * Only a session of the web client may create tokens: a leaked token of a program or an app must not create
 * more.
 */
export async function createToken(
  { database, securityLog }: Context,
  caller: Caller,
  isActiveNow: (queries: Queries) => Promise<boolean>,
  body: unknown,
): Promise<CreatedToken> {
  const wanted = parseNewToken(body, tokenScopes)
  const secret = generateToken(personalTokenPrefix)
  const token = await database.transaction(async (transaction) => {
    // Locked, so that concurrent tokens are counted one after the other and a new password ends both.
    const [account] = await transaction.query<{ stamp: string }>(sql`
      select security_stamp as stamp from users where id = ${caller.id} and active for no key update`)
    // The token gets the newest stamp, so the session that creates it has to have the same.
    if (!account || !(await isActiveNow(transaction))) throw unauthenticated()
    await requireFewerTokens(transaction, caller.id)
    await requireVisibleProjects(transaction, caller, wanted.projectIds)
    return insertToken(transaction, caller.id, account.stamp, wanted, secret)
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

async function requireFewerTokens(transaction: Queries, accountId: string): Promise<void> {
  const [count] = await transaction.query<{ count: number }>(sql`
    select count(*) as count from api_tokens as token where token.user_id = ${accountId} and ${isActiveToken}`)
  if ((count?.count ?? 0) >= tokensMax)
    throw invalid({ generalErrors: [`An account may have at most ${tokensMax} tokens. End one first.`] })
  await transaction.query(sql`
    delete from api_tokens where id in (
      select token.id from api_tokens as token where token.user_id = ${accountId} and not (${isActiveToken})
      order by token.created_at desc offset ${endedTokensMax}::int)`)
}

async function requireVisibleProjects(
  transaction: Queries,
  caller: Caller,
  ids: NewToken['projectIds'],
): Promise<void> {
  if (!ids) return
  const seen = await transaction.query(sql`
    select 1 from projects as row where row.id = any(${ids}::uuid[]) and row.active and ${visibleRows(project, caller)}`)
  if (seen.length < ids.length)
    throw invalid({ projectIds: ['ProjectIds must refer to active projects of yours.'] })
}

/** Ends all of these tokens or none; users who are not administrators see only their own. */
export async function endTokens(
  { database, securityLog }: Context,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const ids = parseTokenIds(body)
  const ended = await database.transaction(async (transaction) => {
    const found = await transaction.query<{ id: string; userId: string }>(sql`
      select token.id, token.user_id as "userId" from api_tokens as token
      where token.id = any(${ids}::uuid[]) and ${isActiveToken} and (${caller.isAdministrator} or token.user_id = ${caller.id})
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

export const tokenDaysMax = 365
export const tokenProjectsMax = 20

const dayMilliseconds = 24 * 60 * 60_000

function parseNewToken(body: unknown, known: readonly string[]): NewToken {
  const given = parseObject(body)
  const violations = collectViolations()
  const read = {
    name: parseName(given.name, violations),
    scopes: parseScopes(given.scopes, known, violations),
    projectIds: parseProjectIds(given.projectIds, violations),
    expiresAt: parseExpiry(given.expiresAt, violations),
  }
  violations.throwIfAny()
  return read
}

function parseName(input: unknown, violations: Violations): string {
  const reading = text({ max: nameCharactersMax }).parse(input ?? '', 'Name')
  if ('value' in reading && reading.value !== '') return reading.value
  violations.add('name', ...('value' in reading ? ['Name is required.'] : reading.problems))
  return ''
}

function parseScopes(input: unknown, known: readonly string[], violations: Violations): readonly string[] {
  const scopes: readonly unknown[] = Array.isArray(input) ? input : []
  const isKnown = (scope: unknown): scope is string => typeof scope === 'string' && known.includes(scope)
  if (scopes.length === 0) violations.add('scopes', 'Scopes must be a list with at least one scope.')
  else if (scopes.length > known.length || !scopes.every(isKnown))
    violations.add('scopes', `Scopes must be some of ${known.join(', ')}.`)
  return [...new Set(scopes.filter(isKnown))].sort()
}

function parseProjectIds(input: unknown, violations: Violations): readonly string[] | undefined {
  if (input === undefined || input === null) return undefined
  const ids = parseUuidsOrNone(input, tokenProjectsMax)
  if (ids.length === 0)
    violations.add('projectIds', `ProjectIds must be null or 1 to ${tokenProjectsMax} ids of projects.`)
  return ids
}

function parseExpiry(input: unknown, violations: Violations): string {
  const reading = timestamp.parse(input, 'ExpiresAt')
  const value = 'value' in reading ? reading.value : ''
  const remaining = Date.parse(value) - Date.now()
  if (input === undefined || input === null) violations.add('expiresAt', 'ExpiresAt is required.')
  else if ('problems' in reading) violations.add('expiresAt', ...reading.problems)
  else if (!(remaining > 0 && remaining <= tokenDaysMax * dayMilliseconds))
    violations.add('expiresAt', `ExpiresAt must be in the future, within ${tokenDaysMax} days.`)
  return value
}

function parseTokenIds(body: unknown): readonly string[] {
  const ids = parseUuidsOrNone(parseObject(body).ids, tokenIdsMax)
  const violations = collectViolations()
  if (ids.length === 0) violations.add('ids', `Ids must contain 1 to ${tokenIdsMax} ids of tokens.`)
  violations.throwIfAny()
  return ids
}

export const tokenIdsMax = 100

/** Empty when any part of it is invalid. */
function parseUuidsOrNone(input: unknown, max: number): readonly string[] {
  const readings = Array.isArray(input) && input.length <= max ? input.map((id) => uuid.parse(id, 'Id')) : []
  const ids = readings.flatMap((reading) => ('value' in reading ? [reading.value] : []))
  return ids.length === readings.length ? [...new Set(ids)] : []
}
