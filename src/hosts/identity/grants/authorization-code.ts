import { createHash } from 'node:crypto'
import { accessTokenSeconds, isAllowedSince } from '../../../authentication/access-token.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import type { Queries } from '../../../store/database.ts'
import { raw, sql } from '../../../store/sql.ts'
import { isAllowedNow } from '../authorization/consent.ts'
import type { Client } from '../clients.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'
import { invalidGrant, invalidRequest } from '../oauth-error.ts'
import { type Parameters, requireParameter } from '../parameters.ts'
import { splitScope } from '../scopes.ts'
import { isLive, type LiveSession, sessionColumns } from '../sessions.ts'
import { issueAccessToken } from '../tokens/access-token.ts'
import { issueIdentityToken } from '../tokens/identity-token.ts'
import { createOpaqueToken, opaqueTokenId } from '../tokens/opaque-token.ts'
import { endReplayed } from './end-replayed.ts'
import type { Grant } from './grant.ts'

/** RFC 6749, 4.1.3 with PKCE (RFC 7636, 4.6). */
export const redeemAuthorizationCode: Grant = async (identity, client, parameters, origin) => {
  const presented = readPresentedCode(client, parameters)
  const refreshToken = createOpaqueToken()
  const spent = await identity.database.transaction((transaction) =>
    spendCode(identity, transaction, presented, refreshToken.id),
  )
  if (!spent) throw await refusalOf(identity, presented, origin)
  // What was taken from the client while the code was under way is not in its tokens.
  const scopes = splitScope(spent.scope).filter((scope) => client.scopes.includes(scope))
  const subject = { session: spent, account: spent, sessionId: spent.sessionId, client, scopes }
  const [accessToken, identityToken] = await Promise.all([
    issueAccessToken(identity, subject),
    issueIdentityToken(identity, { ...subject, nonce: spent.nonce }),
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

function readPresentedCode(client: Client, parameters: Parameters): PresentedCode {
  return {
    id: opaqueTokenId(requireParameter(parameters, 'code')),
    client,
    redirectUri: requireParameter(parameters, 'redirect_uri'),
    codeChallenge: readChallenge(client, parameters),
  }
}

/** A verifier for a code that was requested without a challenge is refused: an attacker may have removed the challenge. */
function readChallenge({ registration }: Client, parameters: Parameters): string | undefined {
  if (registration?.requiresPkce === false && parameters.code_verifier === undefined) return undefined
  const verifier = requireParameter(parameters, 'code_verifier')
  if (!verifierPattern.test(verifier))
    throw invalidRequest('code_verifier must be 43 to 128 unreserved characters.')
  return createHash('sha256').update(verifier).digest('base64url')
}

/** RFC 7636, 4.1. */
const verifierPattern = /^[\w.~-]{43,128}$/

type SpentCode = LiveSession & { readonly scope: string; readonly nonce: string | null }

/**
 * One statement, so that of many uses at once one finds the code unspent. The share lock on the session makes a request that
 * ends it wait for the refresh token inserted here, and then delete that too.
 */
async function spendCode(
  identity: Identity,
  transaction: Queries,
  { id, client, redirectUri, codeChallenge }: PresentedCode,
  refreshTokenId: Buffer,
): Promise<SpentCode | undefined> {
  const now = moment(identity.now())
  const [spent] = await transaction.query<SpentCode>(sql`
    with known as (
      select code.scope, code.nonce, ${sessionColumns} from authorization_codes as code
      join signin_sessions as session on session.id = code.session_id
      join users as account on account.id = session.user_id
      where code.id = ${id} and code.client_id = ${client.id} and code.redirect_uri = ${redirectUri}
        and code.code_challenge is not distinct from ${codeChallenge ?? null}::text and code.expires_at > ${now} and ${isLive(identity)}
        and ${isAllowedSince(client.id, raw("code.expires_at - interval '1 minute'"))}
        and ${isAllowedNow(client, raw('code.scope'))}
      for share of session
    ), spent as (
      update authorization_codes set spent_at = ${now}
      from known where authorization_codes.id = ${id} and spent_at is null returning known.*
    ), granted as (
      insert into refresh_tokens (id, session_id, client_id, scope, created_at)
      select ${refreshTokenId}, "sessionId", ${client.id}, scope, now() from spent
      where 'offline_access' = any (string_to_array(scope, ' '))
    )
    select * from spent`)
  return spent
}

/** RFC 6749, 4.1.2: a code used twice has been stolen, before or after its client used it, so what it issued ends. */
async function refusalOf(
  identity: Identity,
  { id, client }: PresentedCode,
  origin: RequestOrigin,
): Promise<Error> {
  const [code] = await identity.database.query<{ sessionId: string; isSpent: boolean }>(sql`
    select session_id as "sessionId", spent_at is not null as "isSpent" from authorization_codes
    where id = ${id} and client_id = ${client.id}`)
  if (code?.isSpent) {
    await endReplayed(identity, { sessionId: code.sessionId, clientId: client.id, what: 'code' }, origin)
  }
  return invalidGrant('The authorization code is wrong, expired, used, or was not issued for this request.')
}
