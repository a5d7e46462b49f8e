import { accessTokenSeconds, isAllowedSince } from '../../../authentication/access-token.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import type { Queries } from '../../../store/database.ts'
import { raw, sql } from '../../../store/sql.ts'
import { isAllowedNow } from '../authorization/consent.ts'
import type { Client } from '../clients.ts'
import { lacksSecondFactor } from '../factors/account-factors.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'
import { invalidGrant, OAuthError } from '../oauth-error.ts'
import { type Parameters, requireParameter } from '../parameters.ts'
import { splitScope } from '../scopes.ts'
import { isLive, type LiveSession, sessionColumns } from '../sessions.ts'
import { issueAccessToken } from '../tokens/access-token.ts'
import { issueIdentityToken } from '../tokens/identity-token.ts'
import { createOpaqueToken, opaqueTokenId } from '../tokens/opaque-token.ts'
import { endReplayed } from './end-replayed.ts'
import type { Grant } from './grant.ts'

/** RFC 6749, 6, with rotation (RFC 9700, 4.14.2): each use returns a successor, and a second use ends the session. */
export const redeemRefreshToken: Grant = async (identity, client, parameters, origin) => {
  const presented: PresentedToken = {
    id: opaqueTokenId(requireParameter(parameters, 'refresh_token')),
    client,
    requestedScopes: splitScope(parameters.scope ?? ''),
  }
  const successor = createOpaqueToken()
  const spent = await identity.database.transaction((transaction) =>
    spendToken(identity, transaction, presented, successor.id),
  )
  if (!spent) throw await refusalOf(identity, presented, origin)
  if (lacksSecondFactor(identity, spent))
    throw invalidGrant('The person has to sign in with a second factor.')
  const scopes = narrowedScopes(spent.scope, client, parameters)
  const subject = { session: spent, account: spent, sessionId: spent.sessionId, client, scopes }
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
 * The token at hand may be for less: for what is asked, and for no more than the client may by now. The successor keeps everything
 * that was granted.
 */
function narrowedScopes(granted: string, client: Client, { scope }: Parameters): readonly string[] {
  const requested = splitScope(scope ?? granted)
  return splitScope(granted).filter((name) => requested.includes(name) && client.scopes.includes(name))
}

type SpentToken = LiveSession & { readonly scope: string }

/**
 * One statement, so that of many uses at once one finds the token unspent. The lock on the session makes a request that ends it
 * wait for the successor inserted here, and then delete that too; it is that of an update, because one follows. When a refresh token
 * was made is told by the store's clock, as is when a consent was withdrawn.
 */
async function spendToken(
  identity: Identity,
  transaction: Queries,
  { id, client, requestedScopes }: PresentedToken,
  successorId: Buffer,
): Promise<SpentToken | undefined> {
  const now = moment(identity.now())
  const [spent] = await transaction.query<SpentToken>(sql`
    with known as (
      select token.scope, ${sessionColumns} from refresh_tokens as token
      join signin_sessions as session on session.id = token.session_id
      join users as account on account.id = session.user_id
      where token.id = ${id} and token.client_id = ${client.id} and ${isLive(identity)}
        and ${isAllowedSince(client.id, raw('token.created_at'))}
        and ${isAllowedNow(client, raw('token.scope'))} and ${client.scopes.includes('offline_access')}
        and ${requestedScopes}::text[] <@ string_to_array(token.scope, ' ')
      for no key update of session
    ), spent as (
      update refresh_tokens set spent_at = ${now}
      from known where refresh_tokens.id = ${id} and spent_at is null returning known.*
    ), successor as (
      insert into refresh_tokens (id, session_id, client_id, scope, created_at)
      select ${successorId}, "sessionId", ${client.id}, scope, now() from spent
    ), used as (
      update signin_sessions set last_used_at = ${now} from spent where signin_sessions.id = spent."sessionId"
    )
    select * from spent`)
  return spent
}

async function refusalOf(
  identity: Identity,
  { id, client, requestedScopes }: PresentedToken,
  origin: RequestOrigin,
): Promise<Error> {
  const [token] = await identity.database.query<{ sessionId: string; isSpent: boolean; scope: string }>(sql`
    select session_id as "sessionId", spent_at is not null as "isSpent", scope from refresh_tokens
    where id = ${id} and client_id = ${client.id}`)
  if (token?.isSpent) {
    await endReplayed(
      identity,
      { sessionId: token.sessionId, clientId: client.id, what: 'refresh token' },
      origin,
    )
    return invalidGrant('The refresh token was used before.')
  }
  const granted = splitScope(token?.scope ?? '')
  if (token && requestedScopes.some((scope) => !granted.includes(scope)))
    return new OAuthError('invalid_scope', 'scope can have only what was granted.')
  return invalidGrant('The refresh token is wrong, expired or revoked.')
}
