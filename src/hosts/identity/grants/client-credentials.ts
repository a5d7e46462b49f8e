import { accessTokenSeconds } from '../../../authentication/access-token.ts'
import { findActiveAccount } from '../accounts.ts'
import { invalidClient } from '../authenticate-client.ts'
import type { Client } from '../clients.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'
import { splitScope } from '../scopes.ts'
import { issueAccessToken } from '../tokens/access-token.ts'
import type { Grant } from './grant.ts'

/** RFC 6749, 4.4: the token is that of the client's service account, so the rules for people hold for it. */
export const grantClientCredentials: Grant = async (identity, client, parameters, { address, requestId }) => {
  const scopes = grantedScopes(client, parameters)
  const account = await findActiveAccount(identity.database, client.login ?? '')
  if (!account) {
    const outcome = 'no active account'
    identity.securityLog({ event: 'client-refused', outcome, client: client.id, address, requestId })
    throw invalidClient('The account of the client cannot be used.')
  }
  return {
    access_token: await issueAccessToken(identity, { account, client, scopes }),
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    scope: scopes.join(' '),
  }
}

/** Everything the client may have, unless it asks for less. */
function grantedScopes(client: Client, { scope }: Parameters): readonly string[] {
  const requested = splitScope(scope ?? '')
  if (requested.some((name) => !client.scopes.includes(name)))
    throw new OAuthError('invalid_scope', `scope can have ${client.scopes.join(', ')}.`)
  return requested.length === 0 ? client.scopes : client.scopes.filter((name) => requested.includes(name))
}
