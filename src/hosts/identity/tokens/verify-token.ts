import type { IncomingHttpHeaders } from 'node:http'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import {
  accessTokenType,
  clockSkewSeconds,
  isWithinLifetime,
  parseAccessTokenClaims,
  signingAlgorithms,
  tokenIsActiveSql,
} from '../../../auth/access-token.ts'
import { sql } from '../../../db/sql.ts'
import { timestamp } from '../../../db/timestamps.ts'
import { type Account, accountColumns } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import { invalidRequest, OAuthError } from '../values/oauth-error.ts'

/**
 * Returns the claims of an access token that this provider signed and that has not expired. It does not check
 * whether the session is active.
 */
export async function verifyAccessToken(identity: Identity, token: string): Promise<JWTPayload | undefined> {
  const now = identity.now()
  const payload = await verifyToken(identity, token, accessTokenType, new Date(now))
  return payload && isWithinLifetime(payload, now) ? payload : undefined
}

/**
 * Returns the claims of an identity token of any age, because a hint only identifies the user (OpenID Connect Core,
 * 3.1.2.1).
 */
export const parseTokenHint = (identity: Identity, token: string): Promise<JWTPayload | undefined> =>
  verifyToken(identity, token, 'JWT', new Date(0))

async function verifyToken(
  { settings, signingKeys }: Identity,
  token: string,
  typ: string,
  currentDate: Date,
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid = '', alg }) => {
        const key = await signingKeys.find(kid)
        if (key?.algorithm !== alg) throw new errors.JWKSNoMatchingKey()
        return key.publicKey
      },
      {
        algorithms: [...signingAlgorithms],
        typ,
        issuer: settings.issuer,
        currentDate,
        clockTolerance: clockSkewSeconds,
      },
    )
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Returns the token from the header, or from a form if the endpoint accepts one (RFC 6750, 2). */
export function requireBearer(
  { authorization }: IncomingHttpHeaders,
  { access_token: formToken }: { readonly access_token?: string | undefined } = {},
): string {
  if (authorization !== undefined && formToken !== undefined)
    throw invalidRequest('The access token must be sent in one way only.')
  const token = authorization === undefined ? formToken : bearerPattern.exec(authorization)?.[1]
  if (token === undefined) throw missingToken()
  return token
}

const bearerPattern = /^bearer +([\w.~+/-]+=*)$/i

/** RFC 6750, 3.1: the response to a request without any token names no error. */
const missingToken = () => new OAuthError('invalid_token', 'An access token is required.', 'Bearer')

export const invalidToken = () =>
  new OAuthError(
    'invalid_token',
    'The access token is wrong, expired or revoked.',
    'Bearer error="invalid_token"',
  )

/** Finds the account of an access token if its session is still active. No cache is used. */
export async function findTokenAccount(
  { database, administrators, now }: Identity,
  payload: JWTPayload,
): Promise<Account | undefined> {
  const claims = parseAccessTokenClaims(payload)
  if (!claims) return undefined
  const [account] = await database.query<Account>(
    sql`select ${accountColumns} from users as account where ${tokenIsActiveSql(claims, timestamp(now()))}`,
  )
  const isStale = claims.isAdministrator && account && !administrators.isAdministrator(account)
  return isStale ? undefined : account
}
