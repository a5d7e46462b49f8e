import type { JWTPayload } from 'jose'
import { clockSkewSeconds } from '../../../auth/access-token.ts'
import { sql } from '../../../db/sql.ts'
import { authenticateClient } from '../core/authenticate-client.ts'
import { byClient, clientParameters, optional, required } from '../core/describe.ts'
import { type Endpoint, parseParameters, requireParameter } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { opaqueTokenId, verifyAccessToken } from '../tokens/verify-token.ts'
import type { Client } from '../values/clients.ts'
import { OAuthError } from '../values/oauth-error.ts'
import { timestamp } from '../values/timestamps.ts'

/** RFC 7009: only the given token stops working. */
export const revokeToken: Endpoint = {
  id: 'RevokeToken',
  tag: 'Tokens',
  summary: 'Revokes a refresh token (RFC 7009).',
  description:
    'Its sign-in ends with it. A token that is unknown is answered in the same way, so that nobody learns which there are.',
  method: 'POST',
  path: '/connect/revocation',
  security: byClient,
  parameters: [
    required('token', 'The refresh token.'),
    optional('token_type_hint', '`refresh_token`'),
    ...clientParameters,
  ],
  answer: { type: 'object' },
  refusals: [400, 401],
  handler: (identity) => async (call) => {
    const parameters = parseParameters(call.parameters)
    const client = authenticateClient(identity, call, parameters)
    const token = requireParameter(parameters, 'token')
    const claims = await verifyAccessToken(identity, token)
    if (claims && !identity.settings.extensions)
      throw new OAuthError('unsupported_token_type', 'Access tokens end with their session.')
    const hasEnded = claims
      ? await revokeAccessToken(identity, client, claims)
      : await revokeRefreshToken(identity, client, token)
    if (hasEnded)
      identity.securityLog({
        event: 'token-revoked',
        outcome: claims ? 'access token' : 'refresh token',
        client: client.id,
        address: call.address,
        requestId: call.requestId,
      })
    // RFC 7009, 2.2: an unknown token and one of another client get the same response.
    return { body: {} }
  },
}

/** Hosts that accept the token look up its revocation here, as they look up its session. */
async function revokeAccessToken(
  { database }: Identity,
  client: Client,
  { client_id: clientId, jti, exp = 0 }: JWTPayload,
): Promise<boolean> {
  if (clientId !== client.id || jti === undefined) return false
  const [revoked] = await database.transaction((transaction) =>
    transaction.query(sql`
      insert into revoked_tokens (id, expires_at)
      values (${jti}, ${timestamp((exp + clockSkewSeconds) * 1000)})
      on conflict do nothing returning id`),
  )
  return revoked !== undefined
}

/** A used refresh token stays in the store, so that a second use of it is still detected. */
async function revokeRefreshToken({ database }: Identity, client: Client, token: string): Promise<boolean> {
  const [revoked] = await database.transaction((transaction) =>
    transaction.query(sql`
      delete from refresh_tokens
      where id = ${opaqueTokenId(token)} and client_id = ${client.id} and spent_at is null returning id`),
  )
  return revoked !== undefined
}
