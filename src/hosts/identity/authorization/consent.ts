import { sql } from '../../../store/sql.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'
import type { LiveSession } from '../sessions.ts'
import type { PendingRequest } from './pending-request.ts'

/** Whether this person has allowed the client what it asks for; nobody is asked about a client of one's own. */
export async function hasConsented(
  { database }: Identity,
  { request: { client, scopes, prompts }, since }: PendingRequest,
  { accountId }: LiveSession,
): Promise<boolean> {
  if (client.registration === undefined || client.registration.isFirstParty) return true
  // Asked to ask once more, only an answer to this very request counts.
  const notBefore = prompts.has('consent') ? since : 0
  const [consent] = await database.query(sql`
    select from consents where user_id = ${accountId} and client_id = ${client.id}
      and ${scopes}::text[] <@ string_to_array(scope, ' ') and granted_at >= ${moment(notBefore)}`)
  return consent !== undefined
}

/** One statement, so that of two tabs neither takes back what the other allowed. */
export async function grantConsent(
  { database, now }: Identity,
  { request: { clientId, scopes } }: PendingRequest,
  { accountId }: LiveSession,
): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query(sql`
      insert into consents as known (user_id, client_id, scope, granted_at)
      values (${accountId}, ${clientId}, ${scopes.join(' ')}, ${moment(now())})
      on conflict (user_id, client_id)
      do update set granted_at = excluded.granted_at, scope = words_of_both(known.scope, excluded.scope)`),
  )
}
