import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import { isAccountDeactivatedSql } from '../accounts/sign-in.ts'
import { hashOfToken, personalTokenPrefix } from '../accounts/token-text.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { createBoundedCache } from './bounded-cache.ts'
import type { WarningLog } from './issuer-keys.ts'

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
 * `address` is the network address of the request. A cached result that expires sooner than `minimumRemainingMilliseconds`
 * is ignored: streams pass the time until their next check.
 */
export type FindToken = (
  text: string,
  address: string | undefined,
  minimumRemainingMilliseconds?: number,
) => Promise<FoundToken | undefined>

export interface TokenFinderOptions {
  readonly database: Database
  readonly administrators: Administrators
  /** Zero queries the database every time. */
  readonly sessionCacheSeconds: number
  /** The tokens that are cached at once; 10,000 by default. */
  readonly cachedTokensMax?: number
  readonly log: WarningLog
  readonly now: () => number
}

const cachedTokensDefault = 10_000
/** `last_used_at` is updated at most once per this time. */
const lastUseMinutes = 1

/**
 * Takes one indexed read for a token that is not cached. Only valid tokens are cached, so invalid ones cannot evict
 * them, and a revoked one works no longer than the cache time. No entry outlasts its token. Concurrent requests share one read.
 */
export function createTokenFinder(options: TokenFinderOptions): FindToken {
  const { sessionCacheSeconds, now, cachedTokensMax = cachedTokensDefault } = options
  const cached = createBoundedCache<FoundToken>({ entriesMax: cachedTokensMax, now })
  const inFlight = new Map<string, Promise<FoundToken | undefined>>()
  return async (text, address, minimumRemainingMilliseconds) => {
    const hash = hashOfToken(text, personalTokenPrefix)
    if (hash === undefined) return undefined
    const key = hash.toString('base64')
    const known = cached.get(key, minimumRemainingMilliseconds)
    if (known !== undefined) return known
    if (sessionCacheSeconds === 0) return queryToken(options, hash, address)
    const expiresAt = now() + sessionCacheSeconds * 1000
    const queryAndCache = async () => {
      try {
        const token = await queryToken(options, hash, address)
        if (token) cached.set(key, token, Math.min(expiresAt, token.expiresAt))
        return token
      } finally {
        inFlight.delete(key)
      }
    }
    const pending = inFlight.get(key) ?? queryAndCache()
    inFlight.set(key, pending)
    return pending
  }
}

async function queryToken(
  { database, administrators, log }: TokenFinderOptions,
  hash: Buffer,
  address: string | undefined,
): Promise<FoundToken | undefined> {
  const [found] = await database.query<Omit<FoundToken, 'isAdministrator'> & TokenRow>(sql`
    select token.id, account.id as "accountId", ${administratorColumns},
      token.scopes, token.project_ids as "projectIds",
      floor(extract(epoch from token.expires_at) * 1000)::bigint as "expiresAt",
      coalesce(token.last_used_at < now() - make_interval(mins => ${lastUseMinutes}::int), true) as "shouldRecordUse"
    from api_tokens as token
    join users as account on account.id = token.user_id and account.security_stamp = token.security_stamp
    where token.hash = ${hash} and token.ended_at is null and token.expires_at > now()
      and account.active and not ${isAccountDeactivatedSql}`)
  if (!found) return undefined
  const { login, hasRole, isSeeded, shouldRecordUse, ...token } = found
  if (shouldRecordUse) await recordUse(database, token.id, address, log)
  return { ...token, isAdministrator: administrators.isAdministrator({ login, hasRole, isSeeded }) }
}

interface TokenRow extends PossibleAdministrator {
  readonly shouldRecordUse: boolean
}

/** An authenticated caller is not rejected because the use could not be recorded. */
async function recordUse(database: Database, id: string, address: string | undefined, log: WarningLog) {
  try {
    await database.singleWrites.query(sql`
      update api_tokens set last_used_at = now(), last_used_address = ${address ?? null} where id = ${id}`)
  } catch (error) {
    log.warn({ err: error }, 'The use of a token could not be recorded.')
  }
}
