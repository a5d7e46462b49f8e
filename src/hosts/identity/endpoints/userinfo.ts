import type { IncomingHttpHeaders } from 'node:http'
import type { Identity } from '../identity.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'
import { type Parameters, readParameters } from '../parameters.ts'
import type { Endpoint } from '../route.ts'
import { splitScope } from '../scopes.ts'
import { findTokenAccount } from '../tokens/find-token-account.ts'
import { personClaims } from '../tokens/person-claims.ts'
import { verifyAccessToken } from '../tokens/verify-token.ts'

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

function requireBearer({ authorization }: IncomingHttpHeaders, { access_token: inForm }: Parameters): string {
  if (authorization !== undefined && inForm !== undefined)
    throw invalidRequest('The access token must be sent in one way only.')
  const token = authorization === undefined ? inForm : bearerPattern.exec(authorization)?.[1]
  if (token === undefined) throw missingToken()
  return token
}

const bearerPattern = /^bearer +([\w.~+/-]+=*)$/i

/** RFC 6750, 3.1: who sent no token at all is not told of an error. */
const missingToken = () => new OAuthError('invalid_token', 'An access token is required.', 'Bearer')

const invalidToken = () =>
  new OAuthError(
    'invalid_token',
    'The access token is wrong, expired or revoked.',
    'Bearer error="invalid_token"',
  )

const insufficientScope = () =>
  new OAuthError(
    'insufficient_scope',
    'The access token needs the scope openid.',
    'Bearer error="insufficient_scope", scope="openid"',
  )
