import { randomUUID } from 'node:crypto'
import {
  accessTokenSeconds,
  accessTokenType,
  administratorMark,
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

/** RFC 9068, with the claims the hosts check: all of them are computed from the account at every issuance. */
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
    ...(administrators.isAdministrator(account) && { [claimNames.administrator]: administratorMark }),
  })
}

export interface IdentityTokenSubject {
  readonly session: LiveSession
  readonly client: Client
  readonly scopes: readonly string[]
  /** Only the first token of a session repeats the nonce (OpenID Connect Core, 12.2). */
  readonly nonce?: string | null
}

/** Clients read it once, on arrival. */
const identityTokenSeconds = 5 * 60

/** OpenID Connect Core, 2; undefined if the client did not request one. */
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
    ...personClaims(session, client, scopes),
  })
}

/**
 * The claims about a user by scope (OpenID Connect Core, 5.4), in the identity token and at userinfo. The web
 * client gets the claims that the contract defines. A login need not be a mail address, and none has been
 * verified.
 */
export const personClaims = (
  { name, login }: Account,
  client: Client | undefined,
  scopes: readonly string[],
): Readonly<Record<string, unknown>> => ({
  ...(scopes.includes('profile') && { name, ...(client?.registration && { preferred_username: login }) }),
  ...(scopes.includes('email') && mailPattern.test(login) && { email: login, email_verified: false }),
})

const mailPattern = /^[^\s@]+@[^\s@]+$/
