import { createHash } from 'node:crypto'
import { accessTokenSeconds, consentIsUnrevokedSql } from '../../../auth/access-token.ts'
import { timestamp } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { raw, sql } from '../../../db/sql.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import { isScopeAllowed } from '../authorization/authorization-request.ts'
import { authenticateClient, invalidClient } from '../core/authenticate-client.ts'
import {
  type Endpoint,
  type Identity,
  invalidGrant,
  invalidRequest,
  OAuthError,
  parseParameters,
  requireParameter,
  type SingleParameters,
} from '../core/endpoint.ts'
import {
  clientParameters,
  clientSecurity,
  integer,
  jsonResponse,
  optional,
  required,
  text,
} from '../core/operation-parts.ts'
import {
  type ActiveSession,
  endStolenSession,
  findActiveAccount,
  isSessionActiveSql,
  sessionColumns,
} from '../core/sessions.ts'
import { createOpaqueToken, issueAccessToken, issueIdentityToken, opaqueTokenId } from '../core/tokens.ts'
import { lacksSecondFactor } from '../factors/account-factors.ts'
import { type Client, type GrantType, grantTypes, splitScope } from '../values/clients.ts'

/** RFC 6749, 3.2. */
export const requestToken: Endpoint = {
  id: 'RequestToken',
  tag: 'Tokens',
  summary: 'Redeems a code or a refresh token, or grants a service client a token.',
  description:
    'A code is valid once, for one minute. A refresh token is valid once and is replaced; using it again ends its session. Service clients authenticate with their secret, by Basic or in the form.',
  method: 'POST',
  path: '/connect/token',
  security: clientSecurity,
  parameters: [
    required('grant_type', '`authorization_code`, `refresh_token`, `client_credentials`'),
    ...clientParameters,
    optional('code', 'authorization_code: the code.'),
    optional('redirect_uri', 'authorization_code: the address to which the code was sent.'),
    optional('code_verifier', 'authorization_code: the verifier from which the challenge was computed.'),
    optional('refresh_token', 'refresh_token: the token, which this request uses up.'),
    optional(
      'scope',
      'refresh_token, client_credentials: the requested scopes; all available ones by default.',
    ),
  ],
  ...jsonResponse('Tokens', {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in', 'scope'],
    properties: {
      access_token: text('For the Authorization header of the other hosts; a JWT.', 'eyJhbGciOiJSUzI1NiIs…'),
      token_type: { const: 'Bearer', description: 'The scheme of the Authorization header.' },
      expires_in: integer('The lifetime of the access token, in seconds.', 1800),
      refresh_token: text(
        'A token that can be exchanged once for new tokens; with the scope offline_access.',
      ),
      id_token: text('The identity token; with the scope openid.'),
      scope: text('The scopes of the access token, separated by spaces.', 'openid profile svc.api'),
    },
  }),
  errors: [400, 401],
  createHandler: (identity) => async (call) => {
    const parameters = parseParameters(call.parameters)
    const client = authenticateClient(identity, call, parameters)
    const grantType = requireGrantType(requireParameter(parameters, 'grant_type'))
    if (!client.grants.includes(grantType))
      throw new OAuthError('unauthorized_client', `The client may not use ${grantType}.`)
    return { body: await grants[grantType](identity, client, parameters, call) }
  },
}

/** RFC 6749, 4.1.3 with PKCE (RFC 7636, 4.6). */
const redeemAuthorizationCode: GrantHandler = async (identity, client, parameters, origin) => {
  const presented = parsePresentedCode(client, parameters)
  const refreshToken = createOpaqueToken()
  const code = await identity.database.transaction((transaction) =>
    consumeCode(identity, transaction, presented, refreshToken.id),
  )
  if (!code) return rejectCode(identity, presented, origin)
  // Scopes that the client has lost since the code was issued are dropped.
  const scopes = splitScope(code.scope).filter((scope) => client.scopes.includes(scope))
  const subject = { session: code, account: code, sessionId: code.sessionId, client, scopes }
  const [accessToken, identityToken] = await Promise.all([
    issueAccessToken(identity, subject),
    issueIdentityToken(identity, { ...subject, nonce: code.nonce }),
  ])
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    ...(scopes.includes('offline_access') && { refresh_token: refreshToken.token }),
    ...(identityToken !== undefined && { id_token: identityToken }),
    scope: scopes.join(' '),
  }
}

interface PresentedCode {
  readonly id: Buffer
  readonly client: Client
  readonly redirectUri: string
  readonly codeChallenge: string | undefined
}

function parsePresentedCode(client: Client, parameters: SingleParameters): PresentedCode {
  return {
    id: opaqueTokenId(requireParameter(parameters, 'code')),
    client,
    redirectUri: requireParameter(parameters, 'redirect_uri'),
    codeChallenge: parseChallenge(client, parameters),
  }
}

/**
 * Returns the challenge with which the code must have been requested. A request with a verifier cannot redeem
 * a code that was requested without a challenge, because an attacker may have removed the challenge.
 */
function parseChallenge({ registration }: Client, parameters: SingleParameters): string | undefined {
  if (registration?.requiresPkce === false && parameters.code_verifier === undefined) return undefined
  const verifier = requireParameter(parameters, 'code_verifier')
  if (!verifierPattern.test(verifier))
    throw invalidRequest('code_verifier must be 43 to 128 unreserved characters.')
  return createHash('sha256').update(verifier).digest('base64url')
}

/** RFC 7636, 4.1. */
const verifierPattern = /^[\w.~-]{43,128}$/

type ConsumedCode = ActiveSession & { readonly scope: string; readonly nonce: string | null }

/** A code expires a minute after it was issued. */
const codeIssuedAt = raw("code.expires_at - interval '1 minute'")

/**
 * Spends the code in one statement, so that only one of several concurrent uses succeeds. A request that ends
 * the session waits for the share lock, and then also deletes the new refresh token.
 */
async function consumeCode(
  identity: Identity,
  transaction: Queries,
  { id, client, redirectUri, codeChallenge }: PresentedCode,
  refreshTokenId: Buffer,
): Promise<ConsumedCode | undefined> {
  const now = timestamp(identity.now())
  const [spent] = await transaction.query<ConsumedCode>(sql`
    with valid as (
      select code.scope, code.nonce, ${sessionColumns} from authorization_codes as code
      join signin_sessions as session on session.id = code.session_id
      join users as account on account.id = session.user_id
      where code.id = ${id} and code.client_id = ${client.id} and code.redirect_uri = ${redirectUri}
        and code.code_challenge is not distinct from ${codeChallenge ?? null}::text and code.expires_at > ${now} and ${isSessionActiveSql(identity)}
        and ${consentIsUnrevokedSql(client.id, codeIssuedAt)}
        and ${isScopeAllowed(client, raw('code.scope'))}
      for share of session
    ), spent as (
      update authorization_codes set spent_at = ${now}
      from valid where authorization_codes.id = ${id} and spent_at is null returning valid.*
    ), granted as (
      insert into refresh_tokens (id, session_id, client_id, scope, created_at)
      select ${refreshTokenId}, "sessionId", ${client.id}, scope, now() from spent
      where 'offline_access' = any (string_to_array(scope, ' '))
    )
    select * from spent`)
  return spent
}

/**
 * Rejects a code that could not be spent. A code that is used twice was stolen, so everything issued for it
 * ends (RFC 6749, 4.1.2).
 */
async function rejectCode(
  identity: Identity,
  { id, client }: PresentedCode,
  origin: RequestOrigin,
): Promise<never> {
  const [code] = await identity.database.query<{ sessionId: string; isSpent: boolean }>(sql`
    select session_id as "sessionId", spent_at is not null as "isSpent" from authorization_codes
    where id = ${id} and client_id = ${client.id}`)
  if (code?.isSpent) {
    await endReplayedSession(identity, code.sessionId, client.id, 'code', origin)
  }
  throw invalidGrant('The authorization code is wrong, expired, used, or was not issued for this request.')
}

/**
 * Rotates the token (RFC 9700, 4.14.2): using it returns a successor, and using it again ends the session.
 */
const redeemRefreshToken: GrantHandler = async (identity, client, parameters, origin) => {
  const presented: PresentedToken = {
    id: opaqueTokenId(requireParameter(parameters, 'refresh_token')),
    client,
    requestedScopes: splitScope(parameters.scope ?? ''),
  }
  const successor = createOpaqueToken()
  const token = await identity.database.transaction((transaction) =>
    consumeToken(identity, transaction, presented, successor.id),
  )
  if (!token) return rejectRefreshToken(identity, presented, origin)
  if (lacksSecondFactor(identity, token)) throw invalidGrant('The user has to sign in with a second factor.')
  const scopes = narrowScopes(token.scope, client, parameters)
  const subject = { session: token, account: token, sessionId: token.sessionId, client, scopes }
  const [accessToken, identityToken] = await Promise.all([
    issueAccessToken(identity, subject),
    issueIdentityToken(identity, subject),
  ])
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: successor.token,
    ...(identityToken !== undefined && { id_token: identityToken }),
    scope: scopes.join(' '),
  }
}

interface PresentedToken {
  readonly id: Buffer
  readonly client: Client
  readonly requestedScopes: readonly string[]
}

/**
 * Returns the scopes of the access token: the requested scopes that were granted and that the client still
 * has. The next refresh token keeps all granted scopes.
 */
function narrowScopes(granted: string, client: Client, { scope }: SingleParameters): readonly string[] {
  const requested = splitScope(scope ?? granted)
  return splitScope(granted).filter((name) => requested.includes(name) && client.scopes.includes(name))
}

type ConsumedToken = ActiveSession & { readonly scope: string }

/**
 * Spends the token in one statement, so that only one of several concurrent uses succeeds. A request that
 * ends the session waits for the lock, and then also deletes the new token. The clock of the database sets
 * the creation time, because it is compared with the time when a consent was withdrawn.
 */
async function consumeToken(
  identity: Identity,
  transaction: Queries,
  { id, client, requestedScopes }: PresentedToken,
  successorId: Buffer,
): Promise<ConsumedToken | undefined> {
  const now = timestamp(identity.now())
  const [spent] = await transaction.query<ConsumedToken>(sql`
    with valid as (
      select token.scope, ${sessionColumns} from refresh_tokens as token
      join signin_sessions as session on session.id = token.session_id
      join users as account on account.id = session.user_id
      where token.id = ${id} and token.client_id = ${client.id} and ${isSessionActiveSql(identity)}
        and ${consentIsUnrevokedSql(client.id, raw('token.created_at'))}
        and ${isScopeAllowed(client, raw('token.scope'))} and ${client.scopes.includes('offline_access')}
        and ${requestedScopes}::text[] <@ string_to_array(token.scope, ' ')
      for no key update of session
    ), spent as (
      update refresh_tokens set spent_at = ${now}
      from valid where refresh_tokens.id = ${id} and spent_at is null returning valid.*
    ), successor as (
      insert into refresh_tokens (id, session_id, client_id, scope, created_at)
      select ${successorId}, "sessionId", ${client.id}, scope, now() from spent
    ), used as (
      update signin_sessions set last_used_at = ${now} from spent where signin_sessions.id = spent."sessionId"
    )
    select * from spent`)
  return spent
}

/** Rejects a token that could not be spent. One that is used twice has been stolen, so its session ends. */
async function rejectRefreshToken(
  identity: Identity,
  { id, client, requestedScopes }: PresentedToken,
  origin: RequestOrigin,
): Promise<never> {
  const [token] = await identity.database.query<{ sessionId: string; isSpent: boolean; scope: string }>(sql`
    select session_id as "sessionId", spent_at is not null as "isSpent", scope from refresh_tokens
    where id = ${id} and client_id = ${client.id}`)
  if (token?.isSpent) {
    await endReplayedSession(identity, token.sessionId, client.id, 'refresh token', origin)
    throw invalidGrant('The refresh token was used before.')
  }
  const granted = splitScope(token?.scope ?? '')
  if (token && requestedScopes.some((scope) => !granted.includes(scope)))
    throw new OAuthError('invalid_scope', 'scope must not exceed the granted scope.')
  throw invalidGrant('The refresh token is wrong, expired or revoked.')
}

/** RFC 6749, 4.4. The token belongs to the client's service account, so the rules for users apply to it. */
const grantClientCredentials: GrantHandler = async (identity, client, parameters, { address, requestId }) => {
  const scopes = grantScopes(client, parameters)
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

/** Returns the requested scopes, or all scopes of the client if it requests none. */
function grantScopes(client: Client, { scope }: SingleParameters): readonly string[] {
  const requested = splitScope(scope ?? '')
  if (requested.some((name) => !client.scopes.includes(name)))
    throw new OAuthError('invalid_scope', `scope can have ${client.scopes.join(', ')}.`)
  return requested.length === 0 ? client.scopes : client.scopes.filter((name) => requested.includes(name))
}

const grants: Readonly<Record<GrantType, GrantHandler>> = {
  authorization_code: redeemAuthorizationCode,
  refresh_token: redeemRefreshToken,
  client_credentials: grantClientCredentials,
}

function requireGrantType(name: string): GrantType {
  const grantType = grantTypes.find((supported) => supported === name)
  if (!grantType)
    throw new OAuthError('unsupported_grant_type', `grant_type can be ${grantTypes.join(', ')}.`)
  return grantType
}

/** Ends the session of a stolen code or token, and everything issued in it. */
async function endReplayedSession(
  identity: Identity,
  session: string,
  client: string,
  outcome: 'code' | 'refresh token',
  { address, requestId }: RequestOrigin,
): Promise<void> {
  const hasEnded = await endStolenSession(identity, session)
  identity.securityLog({ event: 'refresh-replayed', outcome, client, session, address, requestId })
  if (hasEnded)
    identity.securityLog({ event: 'session-ended', outcome: 'replay', client, session, address, requestId })
}

/** Handles one grant type for an authenticated client that may use it. */
type GrantHandler = (
  identity: Identity,
  client: Client,
  parameters: SingleParameters,
  origin: RequestOrigin,
) => Promise<TokenResponse>

/** RFC 6749, 5.1 and OpenID Connect Core, 3.1.3.3. */
interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token?: string
  readonly id_token?: string
  readonly scope: string
}
