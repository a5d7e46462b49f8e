import { splitScope } from '../clients.ts'
import type { Identity } from '../identity.ts'
import { OAuthError } from '../oauth-error.ts'
import { type Endpoint, readParameters } from '../route.ts'
import { personClaims } from '../tokens/issued-tokens.ts'
import { findTokenAccount, invalidToken, requireBearer, verifyAccessToken } from '../tokens/verify-token.ts'

/** OpenID Connect Core, 5.3; the token comes as RFC 6750 says, in the header or in a form. */
export const userinfo =
  (identity: Identity): Endpoint =>
  async ({ method, parameters, headers }) => {
    // Never from an address, which is written to logs and histories (RFC 9700, 4.3.2).
    const form = method === 'POST' ? readParameters(parameters) : {}
    const token = requireBearer(headers, form)
    const claims = await verifyAccessToken(identity, token)
    const account = claims && (await findTokenAccount(identity, claims))
    if (!account) throw invalidToken()
    const scopes = splitScope(String(claims.scope))
    if (!scopes.includes('openid')) throw insufficientScope()
    const client = identity.clients.get(String(claims.client_id))
    return { body: { sub: account.accountId, ...personClaims(account, client, scopes) } }
  }

const insufficientScope = () =>
  new OAuthError(
    'insufficient_scope',
    'The access token needs the scope openid.',
    'Bearer error="insufficient_scope", scope="openid"',
  )
