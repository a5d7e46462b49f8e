import { hasConsent } from '../../../auth/access-token.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Identity } from '../core/identity.ts'
import type { LiveSession } from '../core/sessions.ts'
import type { Client } from '../values/clients.ts'
import { timestamp } from '../values/timestamps.ts'
import type { AuthorizationRequest } from './parse-authorization-request.ts'
import type { PendingRequest } from './pending-request.ts'

const needsConsent = ({ registration }: Client): boolean => registration?.isFirstParty === false

/** The condition that the client, as it is now, may get tokens of this scope, in a query that calls the user's row `account`. */
export const isAllowedNow = (client: Client, scope: Sql): Sql =>
  needsConsent(client) ? hasConsent(sql`${client.id}`, sql`string_to_array(${scope}, ' ')`) : sql`true`

/**
 * Any program on a device can listen at its loopback address or take over a scheme. Without a secret nothing proves that it is the
 * client which was allowed before, so what was allowed is not remembered (RFC 8252, 8.6).
 */
export function isAnyProgram({ client, redirectUri }: AuthorizationRequest): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return client.secretHash === undefined && (!/^https?:$/.test(protocol) || loopbackPattern.test(hostname))
}

const loopbackPattern = /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/

/** True if this person has allowed what the client requests. The operator's own clients need no consent. */
export async function hasConsented(
  { database }: Identity,
  { request, allowedBy }: PendingRequest,
  { accountId }: LiveSession,
): Promise<boolean> {
  const { client, scopes, prompts } = request
  if (!needsConsent(client)) return true
  // Then the answer to this very request counts, and no earlier one.
  const mustAnswer = prompts.has('consent') || isAnyProgram(request)
  if (mustAnswer && allowedBy !== accountId) return false
  const [consent] = await database.query(sql`
    select from consents where user_id = ${accountId} and client_id = ${client.id}
      and ${scopes}::text[] <@ string_to_array(scope, ' ')`)
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
      values (${accountId}, ${clientId}, ${scopes.join(' ')}, ${timestamp(now())})
      on conflict (user_id, client_id)
      do update set granted_at = excluded.granted_at, scope = words_of_both(known.scope, excluded.scope)`),
  )
}
