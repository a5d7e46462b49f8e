import { sql } from '../../../db/sql.ts'
import { authenticateConfidentialClient } from '../authenticate-client.ts'
import { audienceOf, type Client, hostsOf, splitScope } from '../clients.ts'
import type { Identity } from '../identity.ts'
import { type Endpoint, readParameters, requireParameter } from '../route.ts'
import { isLive, type LiveSession, sessionColumns } from '../sessions.ts'
import { findTokenAccount, opaqueTokenId, verifyAccessToken } from '../tokens/verify-token.ts'

/**
 * RFC 7662, for access and refresh tokens. Only clients with a secret may ask: about tokens of their own, a service client also
 * about those for a host that one of its scopes is for, or that its settings name. For any other token the answer is that for an
 * unknown one (4).
 */
export const introspect =
  (identity: Identity): Endpoint =>
  async (call) => {
    const parameters = readParameters(call.parameters)
    const client = authenticateConfidentialClient(identity, call, parameters)
    const token = requireParameter(parameters, 'token')
    // The hint is not needed: no token can be taken for one of the other kind.
    const description =
      (await describeAccessToken(identity, client, token)) ??
      (await describeRefreshToken(identity, client, token))
    return { body: description ?? { active: false } }
  }

function mayAskAbout(
  { settings }: Identity,
  { id, login, scopes, audiences }: Client,
  clientId: unknown,
  audience: Audience,
): boolean {
  const hosts = login === undefined ? audiences : [...audiences, ...hostsOf(scopes, settings)]
  return id === clientId || [audience ?? []].flat().some((host) => hosts.includes(host))
}

type Audience = string | readonly string[] | undefined

async function describeAccessToken(
  identity: Identity,
  client: Client,
  token: string,
): Promise<object | undefined> {
  const claims = await verifyAccessToken(identity, token)
  if (!claims || !mayAskAbout(identity, client, claims.client_id, claims.aud)) return undefined
  const account = await findTokenAccount(identity, claims)
  return account && { active: true, token_type: 'Bearer', username: account.login, ...claims }
}

async function describeRefreshToken(
  identity: Identity,
  client: Client,
  token: string,
): Promise<object | undefined> {
  const [known] = await identity.database.query<LiveSession & KnownToken>(sql`
    select token.client_id as "clientId", token.scope,
      extract(epoch from token.created_at)::float8 as "createdAtSeconds", ${sessionColumns}
    from refresh_tokens as token
    join signin_sessions as session on session.id = token.session_id
    join users as account on account.id = session.user_id
    where token.id = ${opaqueTokenId(token)} and token.spent_at is null and ${isLive(identity)}`)
  // Its audience is that of the access tokens it can be exchanged for.
  const audience = known && audienceOf(splitScope(known.scope), identity.settings)
  if (!known || !mayAskAbout(identity, client, known.clientId, audience)) return undefined
  return {
    active: true,
    iss: identity.settings.issuer,
    sub: known.accountId,
    sid: known.sessionId,
    username: known.login,
    client_id: known.clientId,
    scope: known.scope,
    iat: Math.floor(known.createdAtSeconds),
    exp: Math.floor(known.expiresAt / 1000),
  }
}

interface KnownToken {
  readonly clientId: string
  readonly scope: string
  readonly createdAtSeconds: number
}
