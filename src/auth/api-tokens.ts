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
 * `address` is the network address of the request. A cached result that expires sooner than `minimumMilliseconds`
 * is not used: streams pass the time for which they rely on it.
 */
export type FindToken = (
  text: string,
  address: string | undefined,
  minimumMilliseconds?: number,
) => Promise<FoundToken | undefined>

export interface TokenFinderOptions {
  readonly database: Database
  readonly administrators: Administrators
  /** Zero queries the database every time. */
  readonly cacheSeconds: number
  /** The tokens that are cached at once; 10,000 by default. */
  readonly cachedMax?: number
  readonly log: Log
  readonly now: () => number
}

const cachedTokensMax = 10_000
/** `last_used_at` is updated at most once per this time. */
const lastUseMinutes = 1

/**
 * Takes one indexed read for a token that is not cached. Only valid tokens are cached, so made-up ones cannot evict
 * them, and a revoked one works no longer than the cache time. Concurrent requests share one read.
 */
export function createTokenFinder(options: TokenFinderOptions): FindToken {
  const { cacheSeconds, now, cachedMax = cachedTokensMax } = options
  const cached = createBoundedCache<FoundToken>({ entriesMax: cachedMax, now })
  const inFlight = new Map<string, Promise<FoundToken | undefined>>()
  return async (text, address, minimumMilliseconds) => {
    const hash = hashOfToken(text, tokenPrefix)
    if (hash === undefined) return undefined
    const key = hash.toString('base64')
    const known = cached.get(key, minimumMilliseconds)
    if (known !== undefined) return known
    if (cacheSeconds === 0) return find(options, hash, address)
    const expiresAt = now() + cacheSeconds * 1000
    const search = async () => {
      try {
        const token = await find(options, hash, address)
        if (token) cached.set(key, token, expiresAt)
        return token
      } finally {
        inFlight.delete(key)
      }
    }
    const pending = inFlight.get(key) ?? search()
    inFlight.set(key, pending)
    return pending
  }
}

async function find(
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
      and account.active and not ${isDeactivated}`)
  if (!found) return undefined
  const { login, hasRole, isSeeded, shouldRecordUse, ...token } = found
  if (shouldRecordUse) await recordUse(database, token.id, address, log)
  return { ...token, isAdministrator: administrators.isAdministrator({ login, hasRole, isSeeded }) }
}

interface TokenRow extends PossibleAdministrator {
  readonly shouldRecordUse: boolean
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
