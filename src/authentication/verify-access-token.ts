import { hash } from 'node:crypto'
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { unauthenticated } from '../model/problem.ts'
import { createBoundedCache } from './bounded-cache.ts'

/** What the hosts believe of a token whose signature, type, issuer, audience, scope and lifetime are right. */
export interface AccessTokenClaims {
  readonly accountId: string
  /** The sign-in session; a service client's token has none. */
  readonly sessionId: string | undefined
  readonly securityStamp: string
  readonly isAdministrator: boolean
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface AccessTokenOptions {
  readonly issuer: string
  readonly audience: string
  readonly scope: string
  readonly keys: JWTVerifyGetKey
  readonly now: () => number
}

/** Clocks of the hosts and the provider may differ by this much. */
const clockSkewSeconds = 60
/** A signature costs 0.09 ms to verify, a look into the cache 0.003: 10,000 tokens are 10,000 people in half an hour. */
const rememberedTokensMax = 10_000
/** A withdrawn key takes effect after this long. */
const rememberedMilliseconds = 5 * 60_000

export type VerifyAccessToken = (token: string) => Promise<AccessTokenClaims>

export function createAccessTokenVerifier(options: AccessTokenOptions): VerifyAccessToken {
  const { issuer, audience, scope, keys, now } = options
  const remembered = createBoundedCache<AccessTokenClaims>({ entriesMax: rememberedTokensMax, now })
  return async (token) => {
    // Nobody who reads this process's memory finds tokens to use in the keys.
    const digest = hash('sha256', token, 'base64')
    const known = remembered.get(digest)
    if (known) return known
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['RS256'],
      typ: 'at+jwt',
      issuer,
      audience,
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(now()),
      requiredClaims: ['exp', 'sub'],
    })
    const claims = readClaims(payload, scope)
    const lastMoment = claims.expiresAt + clockSkewSeconds * 1000
    remembered.set(digest, claims, Math.min(lastMoment, now() + rememberedMilliseconds))
    return claims
  }
}

function readClaims(payload: JWTPayload, requiredScope: string): AccessTokenClaims {
  const { sub = '', sid, exp = 0, scope, ...own } = payload
  const securityStamp = own['svc:security_stamp']
  const isWrong =
    !uuidPattern.test(sub) ||
    !scopesOf(scope).includes(requiredScope) ||
    typeof securityStamp !== 'string' ||
    (sid !== undefined && typeof sid !== 'string')
  if (isWrong) throw unauthenticated()
  return {
    accountId: sub.toLowerCase(),
    sessionId: sid,
    securityStamp,
    isAdministrator: own['svc:admin'] === 'true',
    expiresAt: exp * 1000,
  }
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** RFC 9068 separates scopes by spaces; some providers send a list. */
function scopesOf(scope: unknown): readonly unknown[] {
  if (typeof scope === 'string') return scope.split(' ')
  return Array.isArray(scope) ? scope : []
}
