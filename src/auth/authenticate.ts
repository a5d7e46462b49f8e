import { errors, type JWTPayload } from 'jose'
import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import { tokenPrefix } from '../accounts/parse-fields.ts'
import type { Database, Queries } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { Problem, unauthenticated } from '../model/problem.ts'
import type { SecurityEvent, SecurityLog } from '../observability/security-log.ts'
import {
  type AccessTokenClaims,
  createAccessTokenVerifier,
  isActiveSession,
  parseAccessTokenClaims,
  type VerifiedClaims,
} from './access-token.ts'
import { createTokenFinder, type FindToken, type FoundToken } from './api-tokens.ts'
import { createBoundedCache } from './bounded-cache.ts'
import { createProviderKeys, type Log } from './provider-keys.ts'

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
  readonly log: Log
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
   * Asks the database despite the cache. Needed before long-lived credentials are created, which no personal access token does.
   */
  isActiveNow(queries?: Queries): Promise<boolean>
}

export interface Authentication {
  /** Rejects as `unauthenticated` whatever is wrong with the header, its token or its session. */
  authenticate(authorizationHeader: string | undefined, origin?: RequestOrigin): Promise<Authenticated>
}

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { now = Date.now, sessionCacheSeconds: cacheSeconds, extensions = true } = options
  const verifyAccessToken = createAccessTokenVerifier({
    ...options,
    now,
    keys: createProviderKeys({ ...options, now }),
  })
  const isCurrentSession = createSessionCheck({ ...options, now, cacheSeconds })
  const findToken = createTokenFinder({ ...options, now, cacheSeconds })
  const leftMilliseconds = (cacheSeconds * 1000) / 3
  return {
    async authenticate(authorizationHeader, origin) {
      const token = parseBearer(authorizationHeader)
      if (extensions && token.startsWith(tokenPrefix))
        return acceptToken(token, { findToken, now, origin, leftMilliseconds })
      const claims = await verifyAccessToken(token).catch((error) =>
        rejectUnverifiable(error, options, origin),
      )
      if (!(await isCurrentSession(claims))) throw unauthenticated()
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
        recheck: () => now() < expiresAt && isCurrentSession(claims, leftMilliseconds),
        isActiveNow: async (queries = options.database) =>
          now() < expiresAt && isActiveNow({ ...options, database: queries }, claims),
      }
    },
  }
}

interface TokenAcceptance {
  readonly findToken: FindToken
  readonly now: () => number
  readonly origin: RequestOrigin | undefined
  /** The minimum time a result must remain in the cache to be used for a stream. */
  readonly leftMilliseconds: number
}

/** A personal access token needs no session, and carries its permissions. */
async function acceptToken(
  text: string,
  { findToken, now, origin, leftMilliseconds }: TokenAcceptance,
): Promise<Authenticated> {
  const findActive = async (left?: number) => {
    const found = await findToken(text, origin?.address, left)
    return found && now() < found.expiresAt ? found : undefined
  }
  const found = await findActive()
  if (!found) throw unauthenticated()
  return {
    caller: callerOf(found, origin),
    sessionId: undefined,
    expiresAt: found.expiresAt,
    // A stream ends when its account gains or loses the administrator role, because that changes what it may see.
    recheck: async () =>
      now() < found.expiresAt &&
      (await findActive(leftMilliseconds))?.isAdministrator === found.isAdministrator,
    isActiveNow: async () => (await findActive()) !== undefined,
  }
}

const callerOf = (found: FoundToken, origin: RequestOrigin | undefined): Caller => ({
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
 * A token that cannot be verified is rejected; only failures that are not the token's fault are logged. If
 * the keys cannot be fetched, no token is rejected.
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
    securityLog?.(rejectedByAudience(error.payload, origin))
  throw unauthenticated()
}

/** Our provider signed the token, but for another host, so it was sent to a host it is not meant for. */
function rejectedByAudience(payload: JWTPayload, origin: RequestOrigin | undefined): SecurityEvent {
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
 * Checks whether the token's session is still valid. Cached results return synchronously; a caller that
 * relies on the result for a while asks for one that stays in the cache for at least as long.
 */
export type SessionCheck = (claims: VerifiedClaims, leftMilliseconds?: number) => boolean | Promise<boolean>

export interface CurrentSessionOptions {
  readonly database: Queries
  readonly administrators: Administrators
  /** Zero queries the database every time. */
  readonly cacheSeconds: number
  readonly now: () => number
}

/** The same number as of cached tokens. */
const rememberedSessionsMax = 10_000

/**
 * Both results are cached: a new sign-in starts a new session, which has no cached result. The time counts
 * from the query, so an ended session works no longer than the cache time.
 */
function createSessionCheck(options: CurrentSessionOptions): SessionCheck {
  const { cacheSeconds, now } = options
  const answers = createBoundedCache<Answer>({ entriesMax: rememberedSessionsMax, now })
  function ask(key: string, claims: AccessTokenClaims): Promise<boolean> {
    const asked = isActiveNow(options, claims)
    const answer: Answer = { known: asked }
    answers.set(key, answer, now() + cacheSeconds * 1000)
    asked.then(
      (isActive) => {
        answer.known = isActive
      },
      // An error of the database is no result, so it is not cached.
      () => answers.delete(key),
    )
    return asked
  }
  return (claims, leftMilliseconds) => {
    const { sessionKey } = claims
    return answers.get(sessionKey, leftMilliseconds)?.known ?? ask(sessionKey, claims)
  }
}

interface Answer {
  /** A promise while the query runs. */
  known: boolean | Promise<boolean>
}

/** Queries the database, bypassing the cache. */
async function isActiveNow(
  { database, administrators }: Pick<CurrentSessionOptions, 'database' | 'administrators'>,
  claims: AccessTokenClaims,
): Promise<boolean> {
  const [account] = await database.query<PossibleAdministrator>(
    sql`select ${administratorColumns} from users as account where ${isActiveSession(claims, raw('now()'))}`,
  )
  // A former administrator's token is rejected as a whole: its client signs in again and gets a correct one.
  return account !== undefined && (!claims.isAdministrator || administrators.isAdministrator(account))
}

/** Returns the same database, whose every transaction first checks that the session is still valid. */
export function requireActiveSession(
  database: Database,
  { isActiveNow }: Pick<Authenticated, 'isActiveNow'>,
): Database {
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (queries) => {
      if (!(await isActiveNow(queries))) throw unauthenticated()
      return work(queries)
    })
  const single: Queries = { query: (statement) => transaction(({ query }) => query(statement)) }
  return { ...database, single, transaction }
}
