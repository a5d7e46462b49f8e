import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import {
  accessTokenType,
  clockSkewSeconds,
  isActiveSession,
  isWithinLifetime,
  parseAccessTokenClaims,
  signingAlgorithms,
} from '../../../auth/access-token.ts'
import { sql } from '../../../db/sql.ts'
import { type Account, accountColumns } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import { invalidRequest, OAuthError } from '../values/oauth-error.ts'
import { timestamp } from '../values/timestamps.ts'

/**
 * Returns the claims of an access token that this provider signed and that has not expired; whether its
 * session is active is not checked here.
 */
export async function verifyAccessToken(identity: Identity, token: string): Promise<JWTPayload | undefined> {
  const now = identity.now()
  const payload = await verifyToken(identity, token, accessTokenType, new Date(now))
  return payload && isWithinLifetime(payload, now) ? payload : undefined
}

/**
 * Returns the claims of an identity token of any age: a hint only identifies the user (OpenID Connect Core,
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

/** RFC 6750, 2: the token is taken from the header, or from a form if the caller has read one. */
export function requireBearer(
  { authorization }: IncomingHttpHeaders,
  { access_token: inForm }: { readonly access_token?: string | undefined } = {},
): string {
  if (authorization !== undefined && inForm !== undefined)
    throw invalidRequest('The access token must be sent in one way only.')
  const token = authorization === undefined ? inForm : bearerPattern.exec(authorization)?.[1]
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

/** The account of an access token whose session is still active, looked up without any cache. */
export async function findTokenAccount(
  { database, administrators, now }: Identity,
  payload: JWTPayload,
): Promise<Account | undefined> {
  const claims = parseAccessTokenClaims(payload)
  if (!claims) return undefined
  const [account] = await database.query<Account>(
    sql`select ${accountColumns} from users as account where ${isActiveSession(claims, timestamp(now()))}`,
  )
  const isStale = claims.isAdministrator && account && !administrators.isAdministrator(account)
  return isStale ? undefined : account
}

/** Codes and refresh tokens: 256 random bits, of which the store keeps only the hash. */
export interface OpaqueToken {
  readonly token: string
  readonly id: Buffer
}

export function createOpaqueToken(): OpaqueToken {
  const token = randomBytes(32).toString('base64url')
  return { token, id: opaqueTokenId(token) }
}

export const opaqueTokenId = (token: string): Buffer => createHash('sha256').update(token).digest()
