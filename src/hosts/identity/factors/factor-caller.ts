import { webClientId } from '../../../model/web-client.ts'
import type { Identity } from '../identity.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Call } from '../route.ts'
import { findLiveSession, type LiveSession } from '../sessions.ts'
import { invalidToken, requireBearer } from '../tokens/bearer-token.ts'
import { findTokenAccount } from '../tokens/find-token-account.ts'
import { verifyAccessToken } from '../tokens/verify-token.ts'

/** After this long a sign-in is asked for again before factors are changed: an open screen is not the person. */
const freshMilliseconds = 10 * 60_000

/** The sign-in that asks, in the web client only: no other app looks at or changes how people sign in. */
export async function requireFactorCaller(identity: Identity, { headers }: Call): Promise<LiveSession> {
  const claims = await verifyAccessToken(identity, requireBearer(headers))
  const account = claims && (await findTokenAccount(identity, claims))
  const isOfWebClient = claims?.client_id === webClientId && typeof claims.sid === 'string'
  const session = account && isOfWebClient ? await findLiveSession(identity, String(claims.sid)) : undefined
  if (session === undefined || session.accountId !== account?.accountId) throw invalidToken()
  return session
}

/** RFC 9470: says how old a sign-in may be for what was asked. */
export async function requireFreshCaller(identity: Identity, call: Call): Promise<LiveSession> {
  const session = await requireFactorCaller(identity, call)
  if (session.provedAt + freshMilliseconds > identity.now()) return session
  throw new OAuthError(
    'insufficient_user_authentication',
    'Sign in again to change how you sign in.',
    `Bearer error="insufficient_user_authentication", max_age="${freshMilliseconds / 1000}"`,
  )
}
