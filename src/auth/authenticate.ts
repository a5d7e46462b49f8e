import { errors, type JWTPayload } from 'jose'
import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../accounts/administrators.ts'
import { isTokenText } from '../accounts/read-fields.ts'
import type { Database, Queries } from '../db/database.ts'
import { raw, sql } from '../db/sql.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { Problem, unauthenticated } from '../model/problem.ts'
import type { SecurityEvent, SecurityLog } from '../observability/security-log.ts'
import {
  type AccessTokenClaims,
  createAccessTokenVerifier,
  readAccessTokenClaims,
  stillStands,
} from './access-token.ts'
import { createTokenSearch, type FindToken, type FoundToken } from './api-tokens.ts'
import { createBoundedCache } from './bounded-cache.ts'
import { createProviderKeys, type Log } from './provider-keys.ts'

export interface AuthenticationOptions {
  readonly database: Database
  readonly issuer: string
  /** The host's own; a token for another host is refused. */
  readonly audience: string
  readonly scope: string
  readonly metadataAddress: string
  readonly administrators: Administrators
  readonly sessionCacheSeconds: number
  /** Whether personal tokens are accepted, which are an extension. */
  readonly extensions?: boolean
  readonly log: Log
  readonly securityLog?: SecurityLog
  /** Epoch milliseconds; tests move it. */
  readonly now?: () => number
}

export interface Authenticated {
  readonly caller: Caller
  /** The sign-in that the token belongs to; a service client's token and a personal one have none. */
  readonly sessionId: string | undefined
  /** Epoch milliseconds: when a stream that this token opened has to end. */
  readonly expiresAt: number
  /**
   * Whether the token would still be accepted; streams ask before whatever they send, and every few seconds. The answer is
   * younger than that of a request may be, because a stream keeps it until it asks again.
   */
  recheck(): boolean | Promise<boolean>
  /** The same asked of the store, whatever is remembered: for what outlasts the sign-in, which no personal token makes. */
  standsNow(queries?: Queries): Promise<boolean>
}

export interface Authentication {
  /** Refuses with `unauthenticated` whatever is wrong with the header, its token or the session behind it. */
  authenticate(authorizationHeader: string | undefined, origin?: RequestOrigin): Promise<Authenticated>
}

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { now = Date.now, sessionCacheSeconds: cacheSeconds, extensions = true } = options
  const verifyAccessToken = createAccessTokenVerifier({
    ...options,
    now,
    keys: createProviderKeys({ ...options, now }),
  })
  const sessionCheck = createSessionCheck({ ...options, now, cacheSeconds })
  const findToken = createTokenSearch({ ...options, now, cacheSeconds })
  const leftMilliseconds = (cacheSeconds * 1000) / 3
  return {
    async authenticate(authorizationHeader, origin) {
      const token = readBearer(authorizationHeader)
      if (extensions && isTokenText(token))
        return acceptToken(token, { findToken, now, origin, leftMilliseconds })
      const claims = await refuseUnverifiable(verifyAccessToken(token), options, origin)
      const isCurrentSession = sessionCheck(claims)
      if (!(await isCurrentSession())) throw unauthenticated()
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
        recheck: () => now() < expiresAt && isCurrentSession(leftMilliseconds),
        standsNow: async (queries = options.database) =>
          now() < expiresAt && standsNow({ ...options, database: queries }, claims),
      }
    },
  }
}

interface TokenAcceptance {
  readonly findToken: FindToken
  readonly now: () => number
  readonly origin: RequestOrigin | undefined
  /** How much of its time in the cache an answer must have left for a stream. */
  readonly leftMilliseconds: number
}

/** A personal token: it needs no sign-in, and carries what it may do. */
async function acceptToken(
  text: string,
  { findToken, now, origin, leftMilliseconds }: TokenAcceptance,
): Promise<Authenticated> {
  const findStanding = async (left?: number) => {
    const found = await findToken(text, origin?.address, left)
    return found && now() < found.expiresAt ? found : undefined
  }
  const found = await findStanding()
  if (!found) throw unauthenticated()
  return {
    caller: callerOf(found, origin),
    sessionId: undefined,
    expiresAt: found.expiresAt,
    // A stream ends when its account becomes an administrator or ceases to be one: what it may see is another then.
    recheck: async () =>
      now() < found.expiresAt &&
      (await findStanding(leftMilliseconds))?.isAdministrator === found.isAdministrator,
    standsNow: async () => (await findStanding()) !== undefined,
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
  // So history and the security log name it.
  ...(origin && { origin: { ...origin, clientId: `token:${found.id}`, sessionId: undefined } }),
})

/** Our tokens have about 1,000 characters; this leaves room for the longest login. */
const authorizationCharactersMax = 4096

/** RFC 6750, 2.1: the scheme in any case, then a `b64token`. */
const bearerPattern = /^bearer +([\w.~+/-]+=*)$/i

function readBearer(header = ''): string {
  const token = header.length <= authorizationCharactersMax ? bearerPattern.exec(header)?.[1] : undefined
  if (token === undefined) throw unauthenticated()
  return token
}

/** A token that cannot be verified is refused; only a failure that is not the token's is logged. No keys at all refuse no token. */
async function refuseUnverifiable(
  verification: Promise<AccessTokenClaims>,
  { log, securityLog }: Pick<AuthenticationOptions, 'log' | 'securityLog'>,
  origin: RequestOrigin | undefined,
) {
  try {
    return await verification
  } catch (error) {
    if (error instanceof Problem && error.kind === 'overloaded') throw error
    const isExpected = error instanceof errors.JOSEError || error instanceof Problem
    if (!isExpected) log.warn({ err: error }, 'An access token could not be verified.')
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud')
      securityLog?.(refusedByAudience(error.payload, origin))
    throw unauthenticated()
  }
}

/** Signed by our provider for another host: somebody has sent a token to a host that it is not for. */
function refusedByAudience(payload: JWTPayload, origin: RequestOrigin | undefined): SecurityEvent {
  const claims = readAccessTokenClaims(payload)
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
 * Whether the session of a token is still valid. Cached results return synchronously; a caller that relies on the result for
 * a while asks for one that stays in the cache for at least as long.
 */
export type SessionCheck = (
  claims: AccessTokenClaims,
) => (leftMilliseconds?: number) => boolean | Promise<boolean>

export interface CurrentSessionOptions {
  readonly database: Queries
  readonly administrators: Administrators
  /** Zero asks the store every time. */
  readonly cacheSeconds: number
  readonly now: () => number
}

/** As many as there are remembered tokens. */
const rememberedSessionsMax = 10_000

/**
 * Both answers are remembered: a new sign-in has a session of its own, for which there is no earlier answer. The time counts
 * from the question, so nothing that ended works longer than the cache says.
 */
function createSessionCheck(options: CurrentSessionOptions): SessionCheck {
  const { cacheSeconds, now } = options
  const answers = createBoundedCache<Answer>({ entriesMax: rememberedSessionsMax, now })
  function ask(key: string, claims: AccessTokenClaims): Promise<boolean> {
    const asked = standsNow(options, claims)
    const answer: Answer = { known: asked }
    answers.set(key, answer, now() + cacheSeconds * 1000)
    asked.then(
      (stands) => {
        answer.known = stands
      },
      // An error of the store is no answer, so it is not remembered.
      () => answers.delete(key),
    )
    return asked
  }
  return (claims) => {
    const key = keyOf(claims)
    return (leftMilliseconds) => answers.get(key, leftMilliseconds)?.known ?? ask(key, claims)
  }
}

interface Answer {
  /** A promise while the store is asked. */
  known: boolean | Promise<boolean>
}

/** Of tokens that are remembered, which come with each of their requests. */
const keys = new WeakMap<AccessTokenClaims, string>()

/** Everything that the answer depends on; each token can be revoked by itself. */
function keyOf(claims: AccessTokenClaims): string {
  const known = keys.get(claims)
  if (known !== undefined) return known
  const { expiresAt, ...others } = claims
  const key = JSON.stringify(Object.values(others))
  keys.set(claims, key)
  return key
}

/** Asked of the store, whatever is remembered. */
async function standsNow(
  { database, administrators }: Pick<CurrentSessionOptions, 'database' | 'administrators'>,
  claims: AccessTokenClaims,
): Promise<boolean> {
  const [account] = await database.query<PossibleAdministrator>(
    sql`select ${administratorColumns} from users as account where ${stillStands(claims, raw('now()'))}`,
  )
  // A former administrator's token is refused as a whole: its client signs in again and gets one that is right.
  return account !== undefined && (!claims.isAdministrator || administrators.isAdministrator(account))
}

/** The same database, whose every transaction asks first whether the sign-in still stands. */
export function whileItStands(database: Database, { standsNow }: Pick<Authenticated, 'standsNow'>): Database {
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (queries) => {
      if (!(await standsNow(queries))) throw unauthenticated()
      return work(queries)
    })
  const single: Queries = { query: (statement) => transaction(({ query }) => query(statement)) }
  return { ...database, single, transaction }
}
