import { randomUUID } from 'node:crypto'
import type { Account } from '../accounts.ts'
import type { Identity } from '../identity.ts'
import { signToken } from '../keys/signing-keys.ts'
import { audienceOf } from '../scopes.ts'

export interface AccessTokenSubject {
  readonly account: Account
  readonly clientId: string
  readonly scopes: readonly string[]
  /** A service client's token belongs to no sign-in. */
  readonly sessionId?: string
}

/** The contract's thirty minutes. */
export const accessTokenSeconds = 30 * 60
export const accessTokenType = 'at+jwt'

/** RFC 9068, with the claims the hosts check: all of them computed anew from the account at every issuance. */
export function issueAccessToken(
  { settings, administrators, signingKeys, now }: Identity,
  { account, clientId, scopes, sessionId }: AccessTokenSubject,
): string {
  const issuedAt = Math.floor(now() / 1000)
  return signToken(signingKeys.current(), accessTokenType, {
    iss: settings.issuer,
    aud: audienceOf(scopes, settings),
    sub: account.accountId,
    ...(sessionId !== undefined && { sid: sessionId }),
    client_id: clientId,
    scope: scopes.join(' '),
    iat: issuedAt,
    exp: issuedAt + accessTokenSeconds,
    jti: randomUUID(),
    'svc:login': account.login,
    'svc:security_stamp': account.securityStamp,
    ...(administrators.isAdministrator(account.login) && { 'svc:admin': 'true' }),
  })
}
