import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import { isAccountDeactivatedSql } from '../accounts/sign-in.ts'
import { hashOfToken, personalTokenPrefix } from '../accounts/token-text.ts'
import type { Database, Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { WarningLog } from '../model/budget.ts'
import { createBoundedCache } from './access-token.ts'

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

export interface PersonalAccessTokens {
  /**
   * `address` is the network address of the request. A cached result that expires within
   * `minimumRemainingMilliseconds` is ignored, so that a stream can rely on the result until its next check.
   */
  find(
    text: string,
    address: string | undefined,
    minimumRemainingMilliseconds?: number,
  ): Promise<FoundToken | undefined>
  /** Queries the token without the cache, in the caller's transaction. */
  query(text: string, queries: Queries): Promise<FoundToken | undefined>
}

interface PersonalAccessTokenOptions {
  readonly database: Database
  readonly administrators: Administrators
  /** 0 disables the cache. */
  readonly sessionCacheSeconds: number
  /** The maximum number of cached tokens; 10,000 by default. */
  readonly cachedTokensMax?: number
  readonly log: WarningLog
  readonly now: () => number
}

const cachedTokensDefault = 10_000
/** `last_used_at` is updated at most once a minute. */
const lastUseMinutes = 1

/**
 * Finds tokens in a cache or with one query, which concurrent requests share. Only valid tokens are cached,
 * so that invalid tokens cannot displace them. A revoked token works for at most the cache time.
 */
export function createPersonalAccessTokens(options: PersonalAccessTokenOptions): PersonalAccessTokens {
  const { administrators, sessionCacheSeconds, now, cachedTokensMax = cachedTokensDefault } = options
  const cached = createBoundedCache<FoundToken>({ entriesMax: cachedTokensMax, now })
  const inFlight = new Map<string, Promise<FoundToken | undefined>>()
  const find: PersonalAccessTokens['find'] = async (text, address, minimumRemainingMilliseconds) => {
    const hash = hashOfToken(text, personalTokenPrefix)
    if (hash === undefined) return undefined
    const key = hash.toString('base64')
    const cachedToken = cached.get(key, minimumRemainingMilliseconds)
    if (cachedToken !== undefined) return cachedToken
    if (sessionCacheSeconds === 0) return queryAndRecord(options, hash, address)
    const expiresAt = now() + sessionCacheSeconds * 1000
    const queryAndCache = async () => {
      try {
        const token = await queryAndRecord(options, hash, address)
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
  return {
    find,
    async query(text, queries) {
      const hash = hashOfToken(text, personalTokenPrefix)
      return hash && (await queryToken(queries, administrators, hash))?.token
    },
  }
}

/** Queries the token, and records that it was used. */
async function queryAndRecord(
  { database, administrators, log }: PersonalAccessTokenOptions,
  hash: Buffer,
  address: string | undefined,
): Promise<FoundToken | undefined> {
  const found = await queryToken(database, administrators, hash)
  if (found?.shouldRecordUse) await recordUse(database, found.token.id, address, log)
  return found?.token
}

async function queryToken(queries: Queries, administrators: Administrators, hash: Buffer) {
  const [found] = await queries.query<Omit<FoundToken, 'isAdministrator'> & TokenRow>(sql`
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
  const isAdministrator = administrators.isAdministrator({ login, hasRole, isSeeded })
  return { token: { ...token, isAdministrator }, shouldRecordUse }
}

interface TokenRow extends PossibleAdministrator {
  readonly shouldRecordUse: boolean
}

/** Records the use of a token. A failure is only logged, because the caller is authenticated. */
async function recordUse(database: Database, id: string, address: string | undefined, log: WarningLog) {
  try {
    await database.singleWrites.query(sql`
      update api_tokens set last_used_at = now(), last_used_address = ${address ?? null} where id = ${id}`)
  } catch (error) {
    log.warn({ err: error }, 'The use of a token could not be recorded.')
  }
}
