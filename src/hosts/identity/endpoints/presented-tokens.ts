import type { JWTPayload } from 'jose'
import { clockSkewSeconds } from '../../../auth/access-token.ts'
import { timestamp } from '../../../db/columns.ts'
import { sql } from '../../../db/sql.ts'
import { authenticateClient, authenticateConfidentialClient } from '../core/authenticate-client.ts'
import {
  type Endpoint,
  type Identity,
  OAuthError,
  parseParameters,
  requireParameter,
} from '../core/endpoint.ts'
import {
  bearerSecurity,
  clientParameters,
  clientSecurity,
  hostUrl,
  integer,
  jsonResponse,
  optional,
  required,
  text,
} from '../core/operation-parts.ts'
import { type ActiveSession, isSessionActiveSql, sessionColumns } from '../core/sessions.ts'
import {
  findTokenAccount,
  invalidToken,
  opaqueTokenId,
  requireBearer,
  userClaims,
  verifyAccessToken,
} from '../core/tokens.ts'
import { type Client, scopeAudiences, splitScope, tokenAudience } from '../values/clients.ts'

/**
 * RFC 7662, for access and refresh tokens. Clients with a secret may use it for their own tokens. Service
 * clients may also use it for tokens of the hosts in their scopes. Other tokens get the response of an
 * unknown token (RFC 7662, 4).
 */
export const introspectToken: Endpoint = {
  id: 'IntrospectToken',
  tag: 'Tokens',
  summary: 'Describes a token to a client with a secret (RFC 7662).',
  description:
    'If the token is not active, or the client may not introspect it, the response is only `active: false`.',
  method: 'POST',
  path: '/connect/introspect',
  security: clientSecurity,
  parameters: [
    required('token', 'An access or refresh token.'),
    optional('token_type_hint', '`access_token`, `refresh_token`'),
    ...clientParameters,
  ],
  ...jsonResponse('TokenDescription', {
    type: 'object',
    required: ['active'],
    properties: {
      active: {
        type: 'boolean',
        description: 'Whether the token is valid and the client may introspect it.',
      },
      iss: hostUrl('The issuer.', ''),
      sub: text('The id of the account.'),
      sid: text('The session to which it belongs.'),
      aud: {
        oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        description: 'The hosts for which it is valid.',
        examples: ['svc-api'],
      },
      client_id: text('The client to which it was issued.', 'robot'),
      scope: text('Its scopes, separated by spaces.', 'openid profile svc.api'),
      token_type: text('Absent for a refresh token.', 'Bearer'),
      username: text('The login of the account.', 'ann@example.com'),
      iat: integer('The time of issue, in seconds since 1970.', 1767603600),
      exp: integer('The time of expiry, in seconds since 1970.', 1767605400),
      jti: text('The id of the token.'),
    },
    additionalProperties: true,
  }),
  errors: [400, 401],
  createHandler: (identity) => async (call) => {
    const parameters = parseParameters(call.parameters)
    const client = authenticateConfidentialClient(identity, call, parameters)
    const token = requireParameter(parameters, 'token')
    // `token_type_hint` is not needed: the two kinds of tokens cannot be confused.
    const description =
      (await describeAccessToken(identity, client, token)) ??
      (await describeRefreshToken(identity, client, token))
    return { body: description ?? { active: false } }
  },
}

function mayIntrospect(
  { settings }: Identity,
  { id, login, scopes }: Client,
  clientId: unknown,
  audience: Audience,
): boolean {
  const hosts = login === undefined ? [] : scopeAudiences(scopes, settings)
  return id === clientId || [audience ?? []].flat().some((host) => hosts.includes(host))
}

type Audience = string | readonly string[] | undefined

async function describeAccessToken(
  identity: Identity,
  client: Client,
  token: string,
): Promise<object | undefined> {
  const claims = await verifyAccessToken(identity, token)
  if (!claims || !mayIntrospect(identity, client, claims.client_id, claims.aud)) return undefined
  const account = await findTokenAccount(identity, claims)
  return account && { active: true, token_type: 'Bearer', username: account.login, ...claims }
}

async function describeRefreshToken(
  identity: Identity,
  client: Client,
  token: string,
): Promise<object | undefined> {
  const [refreshToken] = await identity.database.query<ActiveSession & RefreshTokenRow>(sql`
    select token.client_id as "clientId", token.scope,
      extract(epoch from token.created_at)::float8 as "createdAtSeconds", ${sessionColumns}
    from refresh_tokens as token
    join signin_sessions as session on session.id = token.session_id
    join users as account on account.id = session.user_id
    where token.id = ${opaqueTokenId(token)} and token.spent_at is null and ${isSessionActiveSql(identity)}`)
  // A refresh token has the audience of the access tokens for which it can be exchanged.
  const audience = refreshToken && tokenAudience(splitScope(refreshToken.scope), identity.settings)
  if (!refreshToken || !mayIntrospect(identity, client, refreshToken.clientId, audience)) return undefined
  return {
    active: true,
    iss: identity.settings.issuer,
    sub: refreshToken.accountId,
    sid: refreshToken.sessionId,
    username: refreshToken.login,
    client_id: refreshToken.clientId,
    scope: refreshToken.scope,
    iat: Math.floor(refreshToken.createdAtSeconds),
    exp: Math.floor(refreshToken.expiresAt / 1000),
  }
}

interface RefreshTokenRow {
  readonly clientId: string
  readonly scope: string
  readonly createdAtSeconds: number
}

/** RFC 7009. Only the token itself is revoked, not the session. */
export const revokeToken: Endpoint = {
  id: 'RevokeToken',
  tag: 'Tokens',
  summary: 'Revokes a refresh token (RFC 7009).',
  description:
    'Only this token is revoked; its session and the other tokens of the session stay valid. An unknown token gets the same response, so that the response does not reveal which tokens exist. With the extensions, access tokens can be revoked, too.',
  method: 'POST',
  path: '/connect/revocation',
  security: clientSecurity,
  parameters: [
    required('token', 'The refresh token.'),
    optional('token_type_hint', '`refresh_token`'),
    ...clientParameters,
  ],
  ...jsonResponse('RevocationAnswer', { type: 'object', description: 'It has no properties.' }),
  errors: [400, 401],
  createHandler: (identity) => async (call) => {
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
    // An unknown token and a token of another client get the same response (RFC 7009, 2.2).
    return { body: {} }
  },
}

/** Stores the id of the token. Hosts look it up when they check the session. */
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

/** Deletes the token unless it was used. A used token is kept, so that a second use is still detected. */
async function revokeRefreshToken({ database }: Identity, client: Client, token: string): Promise<boolean> {
  const [revoked] = await database.transaction((transaction) =>
    transaction.query(sql`
      delete from refresh_tokens
      where id = ${opaqueTokenId(token)} and client_id = ${client.id} and spent_at is null returning id`),
  )
  return revoked !== undefined
}

/** OpenID Connect Core, 5.3. The token is sent in the header or in a form (RFC 6750). */
export const getUserinfo: Endpoint = {
  id: 'GetUserinfo',
  tag: 'Tokens',
  summary: 'Returns the profile claims of the signed-in account.',
  description: 'Requires an access token with the scope openid. The name is returned with the scope profile.',
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
  createHandler:
    (identity) =>
    async ({ method, parameters, headers }) => {
      // A token in a URL is never accepted, because URLs end up in logs and histories (RFC 9700, 4.3.2).
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
  summary: 'Returns the profile claims, for a token in the header or in a form.',
  description: 'OpenID Connect requires providers to accept POST.',
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
