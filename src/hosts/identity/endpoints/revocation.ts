import { sql } from '../../../store/sql.ts'
import { authenticateClient } from '../authenticate-client.ts'
import type { Identity } from '../identity.ts'
import { OAuthError } from '../oauth-error.ts'
import { readParameters, requireParameter } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { opaqueTokenId } from '../tokens/opaque-token.ts'
import { verifyAccessToken } from '../tokens/verify-token.ts'

/** RFC 7009: that refresh token stops working, and nothing else. */
export const revocation =
  (identity: Identity): Endpoint =>
  async (call) => {
    const parameters = readParameters(call.parameters)
    const client = authenticateClient(identity, call, parameters)
    const token = requireParameter(parameters, 'token')
    if (await verifyAccessToken(identity, token))
      throw new OAuthError('unsupported_token_type', 'Access tokens end with their session.')
    // A spent one stays, so that its second use is still recognised.
    await identity.database.transaction((transaction) =>
      transaction.query(sql`
        delete from refresh_tokens
        where id = ${opaqueTokenId(token)} and client_id = ${client.id} and spent_at is null`),
    )
    // Unknown tokens are answered alike (2.2): the client wanted them gone, and they are.
    return { body: {} }
  }
