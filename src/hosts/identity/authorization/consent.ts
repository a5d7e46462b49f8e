import { hasConsent } from '../../../auth/access-token.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Identity } from '../core/identity.ts'
import type { LiveSession } from '../core/sessions.ts'
import type { Client } from '../values/clients.ts'
import { timestamp } from '../values/timestamps.ts'
import type { AuthorizationRequest } from './parse-authorization-request.ts'
import type { PendingRequest } from './pending-request.ts'

const needsConsent = ({ registration }: Client): boolean => registration?.isFirstParty === false

/**
 * The condition that the client, as currently registered, may get tokens of this scope; the query must alias
 * the user's row as `account`.
 */
export const isAllowedNow = (client: Client, scope: Sql): Sql =>
  needsConsent(client) ? hasConsent(sql`${client.id}`, sql`string_to_array(${scope}, ' ')`) : sql`true`

/**
 * Any program on a device can listen at its loopback address or register its scheme. Without a secret, the
 * program cannot prove that it is the client that was allowed before, so consent is not remembered (RFC 8252,
 * 8.6).
 */
export function isAnyProgram({ client, redirectUri }: AuthorizationRequest): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return client.secretHash === undefined && (!/^https?:$/.test(protocol) || loopbackPattern.test(hostname))
}

const loopbackPattern = /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/

/** True if the user has allowed everything the client requests. First-party clients need no consent. */
export async function hasConsented(
  { database }: Identity,
  { request, allowedBy }: PendingRequest,
  { accountId }: LiveSession,
): Promise<boolean> {
  const { client, scopes, prompts } = request
  if (!needsConsent(client)) return true
  // In this case only a consent to this very request counts, not an earlier one.
  const mustAnswer = prompts.has('consent') || isAnyProgram(request)
  if (mustAnswer && allowedBy !== accountId) return false
  const [consent] = await database.query(sql`
    select from consents where user_id = ${accountId} and client_id = ${client.id}
      and ${scopes}::text[] <@ string_to_array(scope, ' ')`)
  return consent !== undefined
}

/** A single statement, so that two tabs that consent concurrently do not overwrite each other. */
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
