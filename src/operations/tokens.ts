import { tokenScopes } from '../access/token-rights.ts'
import { visibleRows } from '../access/visible-rows.ts'
import { requireOwnOrAdministrator } from '../accounts/sessions.ts'
import { hashOfToken, newTokenText, tokenPrefix } from '../accounts/token-text.ts'
import type { Caller } from '../model/caller.ts'
import { invalid, missing, unauthenticated } from '../model/problem.ts'
import { project } from '../resources/project.ts'
import { callerDetails } from '../security-log/security-log.ts'
import type { Queries } from '../store/database.ts'
import { newId } from '../store/new-id.ts'
import { raw, sql } from '../store/sql.ts'
import { type NewToken, readNewToken, readTokenIds } from './read-token.ts'
import type { Tracker } from './tracker.ts'

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

/** Those of an account that stand. */
export const tokensMax = 50
/** Those that do not, kept so that a name can still be found in the store. */
const overMax = 50

const columns =
  raw(`token.id, token.user_id as "userId", token.name, token.scopes, token.project_ids as "projectIds",
  token.created_at as "createdAt", token.expires_at as "expiresAt", token.last_used_at as "lastUsedAt",
  token.last_used_address as "lastUsedAddress"`)

const standing = raw(`token.ended_at is null and token.expires_at > now() and exists (
  select 1 from users as account where account.id = token.user_id and account.active
    and account.security_stamp = token.security_stamp)`)

/** The tokens of the own account, or of any account for administrators, newest first. */
export function listTokens({ database }: Tracker, caller: Caller, userId: string): Promise<ApiToken[]> {
  requireOwnOrAdministrator(caller, userId, 'tokens')
  return database.query<ApiToken>(sql`
    select ${columns} from api_tokens as token where token.user_id = ${userId} and ${standing}
    order by token.created_at desc, token.id limit ${tokensMax}::int`)
}

export interface MadeToken {
  readonly token: ApiToken
  /** Shown this once; the store has its hash. */
  readonly secret: string
}

/** Only for a person at the web client: a leaked token of a program or an app must not be able to make more tokens. */
export async function makeToken(
  { database, securityLog }: Tracker,
  caller: Caller,
  standsNow: (queries: Queries) => Promise<boolean>,
  body: unknown,
): Promise<MadeToken> {
  const wanted = readNewToken(body, tokenScopes)
  const secret = newTokenText(tokenPrefix)
  const token = await database.transaction(async (transaction) => {
    // Locked, so that two at once are counted one after the other and a new password ends both.
    const [account] = await transaction.query<{ stamp: string }>(sql`
      select security_stamp as stamp from users where id = ${caller.id} and active for no key update`)
    // The token gets the newest stamp, so the sign-in that makes it has to have the same.
    if (!account || !(await standsNow(transaction))) throw unauthenticated()
    await requireRoom(transaction, caller.id)
    await requireSeen(transaction, caller, wanted.projectIds)
    return insert(transaction, caller.id, account.stamp, wanted, secret)
  })
  securityLog?.({ event: 'token-made', ...callerDetails(caller), token: token.id })
  return { token, secret }
}

async function insert(
  transaction: Queries,
  accountId: string,
  stamp: string,
  { name, scopes, projectIds, expiresAt }: NewToken,
  secret: string,
): Promise<ApiToken> {
  const [token] = await transaction.query<ApiToken>(sql`
    insert into api_tokens as token (id, user_id, hash, security_stamp, name, scopes, project_ids, expires_at)
    values (${newId()}, ${accountId}, ${hashOfToken(secret, tokenPrefix)}, ${stamp}, ${name}, ${scopes}::text[],
      ${projectIds ?? null}::uuid[], ${expiresAt})
    returning ${columns}`)
  return token as ApiToken
}

async function requireRoom(transaction: Queries, accountId: string): Promise<void> {
  const [count] = await transaction.query<{ standing: number }>(sql`
    select count(*) as standing from api_tokens as token where token.user_id = ${accountId} and ${standing}`)
  if ((count?.standing ?? 0) >= tokensMax)
    throw invalid({ generalErrors: [`An account may have at most ${tokensMax} tokens. End one first.`] })
  await transaction.query(sql`
    delete from api_tokens where id in (
      select token.id from api_tokens as token where token.user_id = ${accountId} and not (${standing})
      order by token.created_at desc offset ${overMax}::int)`)
}

async function requireSeen(transaction: Queries, caller: Caller, ids: NewToken['projectIds']): Promise<void> {
  if (!ids) return
  const seen = await transaction.query(sql`
    select 1 from projects as row where row.id = any(${ids}::uuid[]) and row.active and ${visibleRows(project, caller)}`)
  if (seen.length < ids.length)
    throw invalid({ projectIds: ['ProjectIds must refer to active projects of yours.'] })
}

/** Ends these tokens, all or none; anyone who is not an administrator sees their own only. */
export async function endTokens(
  { database, securityLog }: Tracker,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const ids = readTokenIds(body)
  const ended = await database.transaction(async (transaction) => {
    const found = await transaction.query<{ id: string; userId: string }>(sql`
      select token.id, token.user_id as "userId" from api_tokens as token
      where token.id = any(${ids}::uuid[]) and ${standing} and (${caller.isAdministrator} or token.user_id = ${caller.id})
      order by token.id for no key update`)
    if (found.length < ids.length) throw missing('Token')
    await transaction.query(sql`update api_tokens set ended_at = now() where id = any(${ids}::uuid[])`)
    return found
  })
  for (const { id: token, userId: account } of ended)
    securityLog?.({ event: 'token-ended', ...callerDetails(caller), account, by: caller.id, token })
}
