import { type Endpoint, parseParameters } from '../core/endpoint.ts'
import { bearerSecurity, jsonResponse, optional, text } from '../core/operation-parts.ts'
import { userClaims } from '../tokens/issue-tokens.ts'
import { findTokenAccount, invalidToken, requireBearer, verifyAccessToken } from '../tokens/verify-token.ts'
import { splitScope } from '../values/clients.ts'
import { OAuthError } from '../values/oauth-error.ts'

/** OpenID Connect Core, 5.3. The token is sent in the header or in a form (RFC 6750). */
export const getUserinfo: Endpoint = {
  id: 'GetUserinfo',
  tag: 'Tokens',
  summary: 'The profile claims of the signed-in account.',
  description: 'Wants an access token with the scope openid; the name comes with the scope profile.',
  method: 'GET',
  path: '/connect/userinfo',
  security: bearerSecurity,
  ...jsonResponse('Userinfo', {
    type: 'object',
    required: ['sub'],
    properties: {
      sub: { type: 'string', format: 'uuid', description: 'The id of the account.' },
      name: text('The display name.', 'Ann Example'),
    },
  }),
  errors: [400, 401, 403],
  handler:
    (identity) =>
    async ({ method, parameters, headers }) => {
      // A token in a URL is never accepted, because URLs end up in logs and histories (RFC 9700,
      // 4.3.2).
      const form = method === 'POST' ? parseParameters(parameters) : {}
      const token = requireBearer(headers, form)
      const claims = await verifyAccessToken(identity, token)
      const account = claims && (await findTokenAccount(identity, claims))
      if (!account) throw invalidToken()
      const scopes = splitScope(String(claims.scope))
      if (!scopes.includes('openid')) throw insufficientScope()
      const client = identity.clients.get(String(claims.client_id))
      return { body: { sub: account.accountId, ...userClaims(identity.settings, account, client, scopes) } }
    },
}

export const getUserinfoByForm: Endpoint = {
  ...getUserinfo,
  id: 'GetUserinfoByForm',
  summary: 'The same, with the token in the header or in a form.',
  description: 'As OpenID Connect wants it of every provider.',
  method: 'POST',
  security: [...bearerSecurity, {}],
  parameters: [optional('access_token', 'The access token, unless it is in the header.')],
}

const insufficientScope = () =>
  new OAuthError(
    'insufficient_scope',
    'The access token needs the scope openid.',
    'Bearer error="insufficient_scope", scope="openid"',
  )
