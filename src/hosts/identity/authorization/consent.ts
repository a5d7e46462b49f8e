import { hasConsentSql } from '../../../auth/access-token.ts'
import { timestamp } from '../../../db/columns.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Identity } from '../core/endpoint.ts'
import type { ActiveSession } from '../core/sessions.ts'
import type { Client } from '../values/clients.ts'
import type { AuthorizationRequest, PendingRequest } from './authorization-request.ts'

const needsConsent = ({ registration }: Client): boolean => registration?.isFirstParty === false

/**
 * The condition that the client, as currently registered, may get tokens with this scope. The query must
 * alias the user's row as `account`.
 */
export const isScopeAllowed = (client: Client, scope: Sql): Sql =>
  needsConsent(client) ? hasConsentSql(sql`${client.id}`, sql`string_to_array(${scope}, ' ')`) : sql`true`

/**
 * True if any program on the device can pretend to be the client, by listening at its loopback address or
 * registering its scheme. Such a program could use the consent that was given to the client, so the user is
 * asked each time (RFC 8252, 8.6).
 */
export function canBeImpersonated({ client, redirectUri }: AuthorizationRequest): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return client.secretHash === undefined && (!/^https?:$/.test(protocol) || loopbackPattern.test(hostname))
}

const loopbackPattern = /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/

/** True if the user has allowed everything the client requests. First-party clients need no consent. */
export async function hasConsented(
  { database }: Identity,
  { request, allowedBy }: PendingRequest,
  { accountId }: ActiveSession,
): Promise<boolean> {
  const { client, scopes, prompts } = request
  if (!needsConsent(client)) return true
  // If the user must be asked, earlier consent does not count.
  const mustAnswer = prompts.has('consent') || canBeImpersonated(request)
  if (mustAnswer && allowedBy !== accountId) return false
  const [consent] = await database.query(sql`
    select from consents where user_id = ${accountId} and client_id = ${client.id}
      and ${scopes}::text[] <@ string_to_array(scope, ' ')`)
  return consent !== undefined
}

/**
 * Stores consent in a single statement, so that two tabs that consent concurrently do not overwrite each
 * other.
 */
export async function grantConsent(
  { database, now }: Identity,
  { request: { clientId, scopes } }: PendingRequest,
  { accountId }: ActiveSession,
): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query(sql`
      insert into consents as existing (user_id, client_id, scope, granted_at)
      values (${accountId}, ${clientId}, ${scopes.join(' ')}, ${timestamp(now())})
      on conflict (user_id, client_id)
      do update set granted_at = excluded.granted_at, scope = words_of_both(existing.scope, excluded.scope)`),
  )
}
