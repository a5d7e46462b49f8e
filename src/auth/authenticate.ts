import { errors, type JWTPayload } from 'jose'
import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import { personalTokenPrefix } from '../accounts/token-text.ts'
import type { Database, Queries } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { Problem, unauthenticated } from '../model/problem.ts'
import type { SecurityEvent, SecurityLog } from '../observability/security-log.ts'
import {
  type AccessTokenClaims,
  createAccessTokenVerifier,
  parseAccessTokenClaims,
  tokenIsActiveSql,
  type VerifiedClaims,
} from './access-token.ts'
import { createBoundedCache } from './bounded-cache.ts'
import { createIssuerKeys, type WarningLog } from './issuer-keys.ts'
import {
  createPersonalAccessTokens,
  type FoundToken,
  type PersonalAccessTokens,
} from './personal-access-tokens.ts'

export interface AuthenticationOptions {
  readonly database: Database
  readonly issuer: string
  /** The host's own audience; a token for another host is rejected. */
  readonly audience: string
  readonly scope: string
  readonly metadataAddress: string
  readonly administrators: Administrators
  readonly sessionCacheSeconds: number
  /** True if personal access tokens are accepted, which are an extension. */
  readonly extensions?: boolean
  readonly log: WarningLog
  readonly securityLog?: SecurityLog
  /** Epoch milliseconds; tests move it. */
  readonly now?: () => number
}

export interface Authenticated {
  readonly caller: Caller
  /** The session of the token; tokens of service clients and personal access tokens have none. */
  readonly sessionId: string | undefined
  /** Epoch milliseconds: the time at which a stream that this token opened has to end. */
  readonly expiresAt: number
  /**
   * Returns whether the token would still be accepted. Streams call it before they send anything, and every
   * few seconds. The result is fresher than a request needs, because a stream relies on it until its next
   * check.
   */
  recheck(): boolean | Promise<boolean>
  /**
   * Checks the session or the personal access token in the database, bypassing the cache. Called before accounts and credentials
   * change, because the changes outlast the session.
   */
  isActiveNow(queries?: Queries): Promise<boolean>
}

export interface Authentication {
  /**
   * Throws `unauthenticated` for any fault of the header, its token or its session, and `overloaded` if the keys
   * cannot be fetched.
   */
  authenticate(authorizationHeader: string | undefined, origin?: RequestOrigin): Promise<Authenticated>
  /** Fails until the keys of the issuer are known. A host that cannot check a token cannot do its work. */
  readonly readiness: { readonly name: string; check(): Promise<void> }
}

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { now = Date.now, sessionCacheSeconds, extensions = true } = options
  const keys = createIssuerKeys({ ...options, now })
  const verifyAccessToken = createAccessTokenVerifier({ ...options, now, keys: keys.find })
  const checkSession = createSessionCheck({ ...options, now })
  const personalTokens = createPersonalAccessTokens({ ...options, now })
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
  /** A cached result is used for a stream only if it stays valid for this long. */
  readonly minimumRemainingMilliseconds: number
}

/** A personal access token needs no session: its row holds its permissions and expiry. */
async function authenticatePersonalToken(
  text: string,
  { database, personalTokens, now, origin, minimumRemainingMilliseconds }: PersonalTokenOptions,
): Promise<Authenticated> {
  const found = await personalTokens.find(text, origin?.address)
  if (!found || found.expiresAt <= now()) throw unauthenticated()
  // A stream ends when its account gains or loses the administrator role, because that changes what it may see.
  const isUnchanged = (current: FoundToken | undefined) =>
    now() < found.expiresAt && current?.isAdministrator === found.isAdministrator
  return {
    caller: callerOfToken(found, origin),
    sessionId: undefined,
    expiresAt: found.expiresAt,
    recheck: async () =>
      isUnchanged(await personalTokens.find(text, origin?.address, minimumRemainingMilliseconds)),
    isActiveNow: async (queries = database) => isUnchanged(await personalTokens.query(text, queries)),
  }
}

const callerOfToken = (found: FoundToken, origin: RequestOrigin | undefined): Caller => ({
  id: found.accountId,
  isAdministrator: found.isAdministrator && found.projectIds === null,
  token: {
    id: found.id,
    scopes: found.scopes,
    projectIds: found.projectIds ?? undefined,
    isOfAdministrator: found.isAdministrator,
  },
  // History and the security log record the token as the client.
  ...(origin && { origin: { ...origin, clientId: `token:${found.id}`, sessionId: undefined } }),
})

/** Our tokens have about 1,000 characters; this leaves room for the longest login. */
const authorizationCharactersMax = 4096

/** RFC 6750, 2.1: the scheme in any case, then a `b64token`. */
const bearerPattern = /^bearer +([\w.~+/-]+=*)$/i

function parseBearer(header = ''): string {
  const token = header.length <= authorizationCharactersMax ? bearerPattern.exec(header)?.[1] : undefined
  if (token === undefined) throw unauthenticated()
  return token
}

/**
 * Rejects a token that cannot be verified. Only failures that are not the token's fault are logged. If the keys
 * cannot be fetched, the token may be valid, so the error asks the client to retry instead.
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

/** Our provider signed the token, but for another host, so it was sent to a host it is not meant for. */
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
 * Checks whether the token's session is still valid. Cached results return synchronously. One that expires
 * sooner than `minimumRemainingMilliseconds` is not used.
 */
type SessionCheck = (
  claims: VerifiedClaims,
  minimumRemainingMilliseconds?: number,
) => boolean | Promise<boolean>

interface SessionCheckOptions {
  readonly database: Queries
  readonly administrators: Administrators
  /** Zero queries the database every time. */
  readonly sessionCacheSeconds: number
  readonly now: () => number
}

/** The number of cached checks equals that of cached tokens. */
const cachedSessionsMax = 10_000

/**
 * Negative results are cached too, because a new sign-in has a new session and thus a new key. The time counts
 * from the query, so an ended session works no longer than the cache time.
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
      // A database error is not a result, so it is not cached.
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

/** Queries the database, bypassing the cache. */
async function queryIsActive(
  { database, administrators }: Pick<SessionCheckOptions, 'database' | 'administrators'>,
  claims: AccessTokenClaims,
): Promise<boolean> {
  const [account] = await database.query<PossibleAdministrator>(
    sql`select ${administratorColumns} from users as account where ${tokenIsActiveSql(claims, raw('now()'))}`,
  )
  // A former administrator's token is rejected as a whole: its client signs in again and gets a correct one.
  return account !== undefined && (!claims.isAdministrator || administrators.isAdministrator(account))
}

/** Returns a database whose writes first check, in their transaction, that the session is still valid. Plain reads are unchecked. */
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
