import { hasConsent } from '../../../authentication/access-token.ts'
import { type Sql, sql } from '../../../store/sql.ts'
import type { Client } from '../clients.ts'
import type { Identity } from '../identity.ts'
import { moment } from '../moment.ts'
import type { LiveSession } from '../sessions.ts'
import type { PendingRequest } from './pending-request.ts'

const needsConsent = ({ registration }: Client): boolean => registration?.isFirstParty === false

/** Whether the client, as it is now, may be given tokens of this scope, in a query that calls the user's row `account`. */
export const isAllowedNow = (client: Client, scope: Sql): Sql =>
  needsConsent(client) ? hasConsent(sql`${client.id}`, sql`string_to_array(${scope}, ' ')`) : sql`true`

/** Whether this person has allowed the client what it asks for. The operator's own clients need no consent. */
export async function hasConsented(
  { database }: Identity,
  { request: { client, scopes, prompts }, since }: PendingRequest,
  { accountId }: LiveSession,
): Promise<boolean> {
  if (!needsConsent(client)) return true
  // With `prompt=consent`, only an answer to this very request counts, no earlier consent.
  const notBefore = prompts.has('consent') ? since : 0
  const [consent] = await database.query(sql`
    select from consents where user_id = ${accountId} and client_id = ${client.id}
      and ${scopes}::text[] <@ string_to_array(scope, ' ') and granted_at >= ${moment(notBefore)}`)
  return consent !== undefined
}

/** One statement: of two tabs that answer at once, neither overwrites what the other allowed. */
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
