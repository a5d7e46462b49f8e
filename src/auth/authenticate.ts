import { errors, type JWTPayload } from 'jose'
import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import { personalTokenPrefix } from '../accounts/token-text.ts'
import type { Database, Queries } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import type { WarningLog } from '../model/budget.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { Problem, unauthenticated } from '../model/problem.ts'
import type { SecurityEvent, SecurityLog } from '../observability/security-log.ts'
import {
  type AccessTokenClaims,
  createAccessTokenVerifier,
  createBoundedCache,
  parseAccessTokenClaims,
  tokenIsActiveSql,
  type VerifiedClaims,
} from './access-token.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import {
  createPersonalAccessTokens,
  type FoundToken,
  type PersonalAccessTokens,
} from './personal-access-tokens.ts'

interface AuthenticationOptions {
  readonly database: Database
  readonly issuer: string
  /** The audience of this host. A token for another host is rejected. */
  readonly audience: string
  readonly scope: string
  readonly metadataAddress: string
  readonly administrators: Administrators
  readonly sessionCacheSeconds: number
  /** True if personal access tokens, an extension, are accepted. */
  readonly extensions?: boolean
  readonly log: WarningLog
  readonly securityLog?: SecurityLog
  /** Returns epoch milliseconds. */
  readonly now?: () => number
}

export interface Authenticated {
  readonly caller: Caller
  /** Undefined for service clients and personal access tokens. */
  readonly sessionId: string | undefined
  /** Epoch milliseconds. A stream that was opened with this token ends then. */
  readonly expiresAt: number
  /**
   * Returns whether the token would still be accepted. Streams call it before they send and every few
   * seconds. Cached results are used only if they stay valid until the next check.
   */
  recheck(): boolean | Promise<boolean>
  /**
   * Checks the session or the personal access token in the database, without the cache. It is called before
   * accounts and credentials change, because such changes outlast the session.
   */
  isActiveNow(queries?: Queries): Promise<boolean>
}

export interface Authentication {
  /**
   * Throws `unauthenticated` if the header, the token or the session is invalid, and `overloaded` if the keys
   * cannot be fetched.
   */
  authenticate(authorizationHeader: string | undefined, origin?: RequestOrigin): Promise<Authenticated>
  /** Fails until the keys of the issuer are known. */
  readonly readiness: { readonly name: string; check(): Promise<void> }
}

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { now = Date.now, sessionCacheSeconds, extensions = true } = options
  const keys = createIssuerKeys({ ...options, now })
  const verifyAccessToken = createAccessTokenVerifier({ ...options, now, keys: keys.find })
  const checkSession = createSessionCheck({ ...options, now })
  const personalTokens = createPersonalAccessTokens({ ...options, now })
  // A stream checks its session every 5 seconds. By default a cached result must stay valid for 10 seconds,
  // so it cannot expire before the next check.
  const minimumRemainingMilliseconds = (sessionCacheSeconds * 1000) / 3
  return {
    readiness: { name: 'tokens cannot be checked', check: keys.requireKeys },
    async authenticate(authorizationHeader, origin) {
      const token = parseBearer(authorizationHeader)
      if (extensions && token.startsWith(personalTokenPrefix))
        return authenticatePersonalToken(token, {
          ...options,
          personalTokens,
          now,
          origin,
          minimumRemainingMilliseconds,
        })
      const claims = await verifyAccessToken(token).catch((error) =>
        rejectUnverifiable(error, options, origin),
      )
      if (!(await checkSession(claims))) throw unauthenticated()
      const { accountId: id, isAdministrator, expiresAt } = claims
      return {
        caller: {
          id,
          isAdministrator,
          ...(origin && {
            origin: { ...origin, clientId: claims.clientId, sessionId: claims.sessionId },
          }),
        },
        sessionId: claims.sessionId,
        expiresAt,
        recheck: () => now() < expiresAt && checkSession(claims, minimumRemainingMilliseconds),
        isActiveNow: async (queries = options.database) =>
          now() < expiresAt && queryIsActive({ ...options, database: queries }, claims),
      }
    },
  }
}

interface PersonalTokenOptions {
  readonly database: Queries
  readonly personalTokens: PersonalAccessTokens
  readonly now: () => number
  readonly origin: RequestOrigin | undefined
  /** Streams use a cached result only if it stays valid for this long. */
  readonly minimumRemainingMilliseconds: number
}

/** A personal access token has no session. Its row contains its permissions and expiry. */
async function authenticatePersonalToken(
  text: string,
  { database, personalTokens, now, origin, minimumRemainingMilliseconds }: PersonalTokenOptions,
): Promise<Authenticated> {
  const token = await personalTokens.find(text, origin?.address)
  if (!token || token.expiresAt <= now()) throw unauthenticated()
  // A stream ends when the account gains or loses the administrator role, because it may then see other rows.
  const isUnchanged = (current: FoundToken | undefined) =>
    now() < token.expiresAt && current?.isAdministrator === token.isAdministrator
  return {
    caller: callerOfToken(token, origin),
    sessionId: undefined,
    expiresAt: token.expiresAt,
    recheck: async () =>
      isUnchanged(await personalTokens.find(text, origin?.address, minimumRemainingMilliseconds)),
    isActiveNow: async (queries = database) => isUnchanged(await personalTokens.query(text, queries)),
  }
}

const callerOfToken = (token: FoundToken, origin: RequestOrigin | undefined): Caller => ({
  id: token.accountId,
  isAdministrator: token.isAdministrator && token.projectIds === null,
  token: {
    id: token.id,
    scopes: token.scopes,
    projectIds: token.projectIds ?? undefined,
    isOfAdministrator: token.isAdministrator,
  },
  // The history and the security log record the token as the client.
  ...(origin && { origin: { ...origin, clientId: `token:${token.id}`, sessionId: undefined } }),
})

/** A token has about 1,000 characters. The rest is for long logins. */
const authorizationCharactersMax = 4096

/** Matches the scheme in any case and a `b64token` (RFC 6750, 2.1). */
const bearerPattern = /^bearer +([\w.~+/-]+=*)$/i

function parseBearer(header = ''): string {
  const token = header.length <= authorizationCharactersMax ? bearerPattern.exec(header)?.[1] : undefined
  if (token === undefined) throw unauthenticated()
  return token
}

/**
 * Throws `unauthenticated` for an invalid token, and `overloaded` if the keys cannot be fetched, because the
 * token may be valid.
 */
function rejectUnverifiable(
  error: unknown,
  { log, securityLog }: Pick<AuthenticationOptions, 'log' | 'securityLog'>,
  origin: RequestOrigin | undefined,
): never {
  if (error instanceof Problem && error.kind === 'overloaded') throw error
  const isExpected = error instanceof errors.JOSEError || error instanceof Problem
  if (!isExpected) log.warn({ err: error }, 'An access token could not be verified.')
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud')
    securityLog?.(wrongAudienceEvent(error.payload, origin))
  throw unauthenticated()
}

/** The identity host has issued the token for another host, so a client misuses it, or it was stolen. */
function wrongAudienceEvent(payload: JWTPayload, origin: RequestOrigin | undefined): SecurityEvent {
  const claims = parseAccessTokenClaims(payload)
  return {
    event: 'token-refused',
    outcome: 'audience',
    account: claims?.accountId,
    client: claims?.clientId,
    session: claims?.sessionId,
    address: origin?.address,
    requestId: origin?.requestId,
  }
}

/**
 * Checks whether the token and its session are still valid. Returns a cached result synchronously if it stays
 * valid for longer than `minimumRemainingMilliseconds`.
 */
type SessionCheck = (
  claims: VerifiedClaims,
  minimumRemainingMilliseconds?: number,
) => boolean | Promise<boolean>

interface SessionCheckOptions {
  readonly database: Queries
  readonly administrators: Administrators
  /** 0 disables the cache. */
  readonly sessionCacheSeconds: number
  readonly now: () => number
}

/** Each cached token has one check, so this equals `cachedTokensMax`. */
const cachedSessionsMax = 10_000

/**
 * Caches results for the cache time, counted from the start of the query. An ended session never becomes
 * valid again, so that result is cached as well.
 */
function createSessionCheck(options: SessionCheckOptions): SessionCheck {
  const { sessionCacheSeconds, now } = options
  const cache = createBoundedCache<CachedCheck>({ entriesMax: cachedSessionsMax, now })
  function queryAndCache(key: string, claims: AccessTokenClaims): Promise<boolean> {
    const result = queryIsActive(options, claims)
    const entry: CachedCheck = { isActive: result }
    cache.set(key, entry, now() + sessionCacheSeconds * 1000)
    result.then(
      (isActive) => {
        entry.isActive = isActive
      },
      // A database error is not cached, because it says nothing about the session.
      () => cache.delete(key),
    )
    return result
  }
  return (claims, minimumRemainingMilliseconds) => {
    const { activityCacheKey } = claims
    return (
      cache.get(activityCacheKey, minimumRemainingMilliseconds)?.isActive ??
      queryAndCache(activityCacheKey, claims)
    )
  }
}

interface CachedCheck {
  /** A promise while the query runs. */
  isActive: boolean | Promise<boolean>
}

/** Queries whether the token is active, without the cache. */
async function queryIsActive(
  { database, administrators }: Pick<SessionCheckOptions, 'database' | 'administrators'>,
  claims: AccessTokenClaims,
): Promise<boolean> {
  const [account] = await database.query<PossibleAdministrator>(
    sql`select ${administratorColumns} from users as account where ${tokenIsActiveSql(claims, raw('now()'))}`,
  )
  // The token of a former administrator is rejected, and the client requests a token without the role.
  return account !== undefined && (!claims.isAdministrator || administrators.isAdministrator(account))
}

/** Returns a database in which each write checks that the session is still valid. */
export function requireActiveSession(
  database: Database,
  { isActiveNow }: Pick<Authenticated, 'isActiveNow'>,
): Database {
  const transaction: Database['transaction'] = (work, limits) =>
    database.transaction(async (queries) => {
      if (!(await isActiveNow(queries))) throw unauthenticated()
      return work(queries)
    }, limits)
  const singleWrites: Queries = { query: (statement) => transaction(({ query }) => query(statement)) }
  return { ...database, singleWrites, transaction }
}
