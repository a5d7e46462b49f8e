import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import { isDeactivated } from '../accounts/deactivation.ts'
import { hashOfToken, tokenPrefix } from '../accounts/parse-fields.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { createBoundedCache } from './bounded-cache.ts'
import type { Log } from './provider-keys.ts'

/** A valid token, with the current state of its account. */
export interface FoundToken {
  readonly id: string
  readonly accountId: string
  readonly isAdministrator: boolean
  readonly scopes: readonly string[]
  readonly projectIds: readonly string[] | null
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * `address` is the network address of the request. A caller that keeps the result for a while passes how long
 * it needs it.
 */
export type FindToken = (
  text: string,
  address: string | undefined,
  leftMilliseconds?: number,
) => Promise<FoundToken | undefined>

export interface TokenSearch {
  readonly database: Database
  readonly administrators: Administrators
  /** Zero queries the database every time. */
  readonly cacheSeconds: number
  readonly log: Log
  readonly now: () => number
}

/** The same number as of cached sessions. */
const rememberedTokensMax = 10_000
/** The precision of the last use. */
const usedMinutes = 1

/**
 * Takes one indexed read for a token that is not cached. Only valid tokens are cached: made-up ones must not evict them, and a
 * revoked one works no longer than the cache time.
 */
export function createTokenSearch(search: TokenSearch): FindToken {
  const { cacheSeconds, now } = search
  const remembered = createBoundedCache<Promise<FoundToken | undefined>>({
    entriesMax: rememberedTokensMax,
    now,
  })
  return async (text, address, leftMilliseconds) => {
    const hash = hashOfToken(text, tokenPrefix)
    if (hash === undefined) return undefined
    const key = hash.toString('base64')
    const known = remembered.get(key, leftMilliseconds)
    if (known !== undefined) return known
    const found = find(search, hash, address)
    remembered.set(key, found, now() + cacheSeconds * 1000)
    const evict = () => remembered.delete(key)
    found.then((token) => token ?? evict(), evict)
    return found
  }
}

async function find(
  { database, administrators, log }: TokenSearch,
  hash: Buffer,
  address: string | undefined,
): Promise<FoundToken | undefined> {
  const [found] = await database.query<Omit<FoundToken, 'isAdministrator'> & Stored>(sql`
    select token.id, account.id as "accountId", ${administratorColumns},
      token.scopes, token.project_ids as "projectIds",
      floor(extract(epoch from token.expires_at) * 1000)::bigint as "expiresAt",
      coalesce(token.last_used_at < now() - make_interval(mins => ${usedMinutes}::int), true) as "isUseNews"
    from api_tokens as token
    join users as account on account.id = token.user_id and account.security_stamp = token.security_stamp
    where token.hash = ${hash} and token.ended_at is null and token.expires_at > now()
      and account.active and not ${isDeactivated}`)
  if (!found) return undefined
  const { login, hasRole, isSeeded, isUseNews, ...token } = found
  if (isUseNews) await recordUse(database, token.id, address, log)
  return { ...token, isAdministrator: administrators.isAdministrator({ login, hasRole, isSeeded }) }
}

interface Stored extends PossibleAdministrator {
  readonly isUseNews: boolean
}

/** An authenticated caller is not rejected because the use could not be recorded. */
async function recordUse(database: Database, id: string, address: string | undefined, log: Log) {
  try {
    await database.single.query(sql`
      update api_tokens set last_used_at = now(), last_used_address = ${address ?? null} where id = ${id}`)
  } catch (error) {
    log.warn({ err: error }, 'The use of a token could not be recorded.')
  }
}
