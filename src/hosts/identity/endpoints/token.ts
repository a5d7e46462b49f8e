import { authenticateClient } from '../authenticate-client.ts'
import { type GrantType, grantTypes } from '../clients.ts'
import { redeemAuthorizationCode } from '../grants/authorization-code.ts'
import { grantClientCredentials } from '../grants/client-credentials.ts'
import type { Grant } from '../grants/grant.ts'
import { redeemRefreshToken } from '../grants/refresh-token.ts'
import type { Identity } from '../identity.ts'
import { OAuthError } from '../oauth-error.ts'
import { readParameters, requireParameter } from '../parameters.ts'
import type { Endpoint } from '../route.ts'

/** RFC 6749, 3.2. */
export const token =
  (identity: Identity): Endpoint =>
  async (call) => {
    const parameters = readParameters(call.parameters)
    const client = authenticateClient(identity, call, parameters)
    const grantType = requireGrantType(requireParameter(parameters, 'grant_type'))
    if (!client.grants.includes(grantType))
      throw new OAuthError('unauthorized_client', `The client may not use ${grantType}.`)
    return { body: await grants[grantType](identity, client, parameters, call) }
  }

const grants: Readonly<Record<GrantType, Grant>> = {
  authorization_code: redeemAuthorizationCode,
  refresh_token: redeemRefreshToken,
  client_credentials: grantClientCredentials,
}

function requireGrantType(name: string): GrantType {
  const known = grantTypes.find((grantType) => grantType === name)
  if (!known) throw new OAuthError('unsupported_grant_type', `grant_type can be ${grantTypes.join(', ')}.`)
  return known
}
