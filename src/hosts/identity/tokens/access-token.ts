import { randomUUID } from 'node:crypto'
import {
  accessTokenSeconds,
  accessTokenType,
  administratorMark,
  claimNames,
} from '../../../authentication/access-token.ts'
import type { Account } from '../accounts.ts'
import type { Client } from '../clients.ts'
import type { Identity } from '../identity.ts'
import { signToken } from '../keys/signing-keys.ts'
import { audienceOf } from '../scopes.ts'

export interface AccessTokenSubject {
  readonly account: Account
  readonly client: Pick<Client, 'id' | 'signingAlgorithm'>
  readonly scopes: readonly string[]
  /** A service client's token belongs to no sign-in. */
  readonly sessionId?: string
}

/** RFC 9068, with the claims the hosts check: all of them computed anew from the account at every issuance. */
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
