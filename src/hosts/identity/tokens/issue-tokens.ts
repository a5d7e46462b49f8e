import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  accessTokenSeconds,
  accessTokenType,
  administratorClaimValue,
  claimNames,
} from '../../../auth/access-token.ts'
import type { Account } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import type { LiveSession } from '../core/sessions.ts'
import { signToken } from '../keys/signing-keys.ts'
import { audienceOf, type Client } from '../values/clients.ts'

export interface AccessTokenSubject {
  readonly account: Account
  readonly client: Pick<Client, 'id' | 'signingAlgorithm'>
  readonly scopes: readonly string[]
  /** A service client's token belongs to no session. */
  readonly sessionId?: string
}

/** RFC 9068, with additional claims that the hosts check. All of them come from the current data of the account. */
export function issueAccessToken(
  { settings, administrators, signingKeys, now }: Identity,
  { account, client, scopes, sessionId }: AccessTokenSubject,
): Promise<string> {
  const issuedAt = Math.floor(now() / 1000)
  return signToken(signingKeys.current(client.signingAlgorithm), accessTokenType, {
    iss: settings.issuer,
    aud: audienceOf(scopes, settings),
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

export interface IdentityTokenSubject {
  readonly session: LiveSession
  readonly client: Client
  readonly scopes: readonly string[]
  /** Only the first token of a session repeats the nonce (OpenID Connect Core, 12.2). */
  readonly nonce?: string | null
}

/** Clients check an identity token once, when they receive it. */
const identityTokenSeconds = 5 * 60

/** OpenID Connect Core, 2. Returns undefined if the client did not request one. */
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
    auth_time: Math.floor((session.authenticatedAt || session.signedInAt) / 1000),
    ...(nonce && { nonce }),
    ...(session.methods && { amr: session.methods }),
    // OpenID's EAP profile uses this value for phishing-resistant authentication.
    ...(session.methods?.includes('pop') && { acr: 'phr' }),
    ...userClaims(settings, session, client, scopes),
  })
}

/**
 * Returns the claims about a user by scope (OpenID Connect Core, 5.4), for the identity token and userinfo. The web
 * client gets only the claims that the contract defines. A login need not be an email address.
 */
export const userClaims = (
  { loginsAreVerified }: Identity['settings'],
  { name, login, hasVerifiedLogin }: Account,
  client: Client | undefined,
  scopes: readonly string[],
): Readonly<Record<string, unknown>> => ({
  ...(scopes.includes('profile') && { name, ...(client?.registration && { preferred_username: login }) }),
  ...(scopes.includes('email') &&
    mailPattern.test(login) && { email: login, email_verified: loginsAreVerified || hasVerifiedLogin }),
})

const mailPattern = /^[^\s@]+@[^\s@]+$/

/** A code or refresh token: 256 random bits. The store keeps only its hash as an id. */
export interface OpaqueToken {
  readonly token: string
  readonly id: Buffer
}

export function createOpaqueToken(): OpaqueToken {
  const token = randomBytes(32).toString('base64url')
  return { token, id: opaqueTokenId(token) }
}

export const opaqueTokenId = (token: string): Buffer => createHash('sha256').update(token).digest()
