import { sql } from '../../../store/sql.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'
import type { LiveSession } from '../sessions.ts'
import { createOpaqueToken } from '../tokens/opaque-token.ts'
import type { AuthorizationRequest } from './read-authorization-request.ts'

/** Long enough for one redirect and one request. */
const codeMilliseconds = 60_000

export async function issueCode(
  { database, now }: Identity,
  { clientId, redirectUri, codeChallenge, scopes, nonce }: AuthorizationRequest,
  { sessionId }: LiveSession,
): Promise<string> {
  const { token, id } = createOpaqueToken()
  const expiresAt = now() + codeMilliseconds
  await database.transaction((transaction) =>
    transaction.query(sql`
      with used as (update signin_sessions set last_used_at = ${moment(now())} where id = ${sessionId})
      insert into authorization_codes
        (id, session_id, client_id, redirect_uri, code_challenge, scope, nonce, expires_at)
      values (${id}, ${sessionId}, ${clientId}, ${redirectUri}, ${codeChallenge ?? null}, ${scopes.join(' ')},
        ${nonce ?? null}, ${moment(expiresAt)})`),
  )
  return token
}
