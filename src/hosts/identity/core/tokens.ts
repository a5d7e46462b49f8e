import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import {
  accessTokenSeconds,
  accessTokenType,
  administratorClaimValue,
  claimNames,
  clockSkewSeconds,
  isWithinLifetime,
  parseAccessTokenClaims,
  signingAlgorithms,
  tokenIsActiveSql,
} from '../../../auth/access-token.ts'
import { timestamp } from '../../../db/columns.ts'
import { sql } from '../../../db/sql.ts'
import { signToken } from '../keys/signing-keys.ts'
import { type Client, tokenAudience } from '../values/clients.ts'
import { type Identity, invalidRequest, OAuthError } from './endpoint.ts'
import { type Account, type ActiveSession, accountColumns } from './sessions.ts'

interface AccessTokenSubject {
  readonly account: Account
  readonly client: Pick<Client, 'id' | 'signingAlgorithm'>
  readonly scopes: readonly string[]
  /** A service client's token belongs to no session. */
  readonly sessionId?: string
}

/**
 * Issues a JWT access token (RFC 9068) with additional claims that the hosts check. They come from the
 * current data of the account.
 */
export function issueAccessToken(
  { settings, administrators, signingKeys, now }: Identity,
  { account, client, scopes, sessionId }: AccessTokenSubject,
): Promise<string> {
  const issuedAt = Math.floor(now() / 1000)
  return signToken(signingKeys.current(client.signingAlgorithm), accessTokenType, {
    iss: settings.issuer,
    aud: tokenAudience(scopes, settings),
    sub: account.accountId,
    ...(sessionId !== undefined && { sid: sessionId }),
    client_id: client.id,
    scope: scopes.join(' '),
    iat: issuedAt,
    exp: issuedAt + accessTokenSeconds,
    jti: randomUUID(),
    [claimNames.login]: account.login,
    [claimNames.securityStamp]: account.securityStamp,
    ...(administrators.isAdministrator(account) && { [claimNames.administrator]: administratorClaimValue }),
  })
}

interface IdentityTokenSubject {
  readonly session: ActiveSession
  readonly client: Client
  readonly scopes: readonly string[]
  /** Only the first token of a session repeats the nonce (OpenID Connect Core, 12.2). */
  readonly nonce?: string | null
}

/** Clients check an identity token once, when they receive it. */
const identityTokenSeconds = 5 * 60

/**
 * Issues an identity token (OpenID Connect Core, 2); returns undefined if the scope `openid` was not granted.
 */
export async function issueIdentityToken(
  { settings, signingKeys, now }: Identity,
  { session, client, scopes, nonce }: IdentityTokenSubject,
): Promise<string | undefined> {
  if (!scopes.includes('openid')) return undefined
  const issuedAt = Math.floor(now() / 1000)
  return signToken(signingKeys.current(client.signingAlgorithm), 'JWT', {
    iss: settings.issuer,
    aud: client.id,
    sub: session.accountId,
    sid: session.sessionId,
    iat: issuedAt,
    exp: issuedAt + identityTokenSeconds,
    // `authenticatedAt` is 0 if the external provider did not report it.
    auth_time: Math.floor((session.authenticatedAt || session.signedInAt) / 1000),
    ...(nonce && { nonce }),
    ...(session.methods && { amr: session.methods }),
    // OpenID's EAP profile uses this value for phishing-resistant authentication.
    ...(session.methods?.includes('pop') && { acr: 'phr' }),
    ...userClaims(settings, session, client, scopes),
  })
}

/**
 * Returns the claims about a user by scope (OpenID Connect Core, 5.4), for the identity token and userinfo.
 * The web client gets only the claims that the contract defines. A login need not be an email address.
 */
export function userClaims(
  { loginsAreVerified }: Identity['settings'],
  { name, login, hasVerifiedLogin }: Account,
  client: Client | undefined,
  scopes: readonly string[],
): Readonly<Record<string, unknown>> {
  const claims: Record<string, unknown> = {}
  if (scopes.includes('profile')) {
    claims.name = name
    // Only registered clients; the clients of the contract have no registration.
    if (client?.registration) claims.preferred_username = login
  }
  if (scopes.includes('email') && mailPattern.test(login)) {
    claims.email = login
    claims.email_verified = loginsAreVerified || hasVerifiedLogin
  }
  return claims
}

const mailPattern = /^[^\s@]+@[^\s@]+$/

/** A code or refresh token: 256 random bits. The store keeps only its hash as an id. */
interface OpaqueToken {
  readonly token: string
  readonly id: Buffer
}

export function createOpaqueToken(): OpaqueToken {
  const token = randomBytes(32).toString('base64url')
  return { token, id: opaqueTokenId(token) }
}

export const opaqueTokenId = (token: string): Buffer => createHash('sha256').update(token).digest()

/**
 * Returns the claims of an access token that this provider signed and that has not expired. It does not check
 * whether the session is active.
 */
export async function verifyAccessToken(identity: Identity, token: string): Promise<JWTPayload | undefined> {
  const now = identity.now()
  const payload = await verifyToken(identity, token, accessTokenType, new Date(now))
  // jose tolerates clock differences at `exp`, and this host does not.
  return payload && isWithinLifetime(payload, now) ? payload : undefined
}

/**
 * Returns the claims of an identity token of any age, because a hint only identifies the user (OpenID Connect
 * Core, 3.1.2.1).
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

/**
 * Finds the account of an access token. Returns undefined if the token is no longer active, or if it names an
 * administrator who has lost the role. No cache is used.
 */
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
