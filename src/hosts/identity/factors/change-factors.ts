import { queueMail } from '../../../accounts/mail-queue.ts'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { webClientId } from '../../../model/client.ts'
import { invalid } from '../../../model/problem.ts'
import { type Call, type Handler, parseSingle } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { endOtherSessions, findLiveSession, type LiveSession, lockFactors } from '../core/sessions.ts'
import { findTokenAccount, invalidToken, requireBearer, verifyAccessToken } from '../tokens/verify-token.ts'
import { OAuthError } from '../values/oauth-error.ts'
import { type AccountFactors, findFactors, hasFactor, mustHaveFactor } from './account-factors.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'

export type Change = (
  transaction: Queries,
  session: LiveSession,
  form: Readonly<Record<string, string | undefined>>,
  before: AccountFactors,
) => Promise<unknown>

/**
 * Changes of one account are serialized and require a recent sign-in. A required last factor cannot be
 * removed.
 */
export const changing =
  (identity: Identity, outcome: string, change: Change, extent?: 'only a name'): Handler =>
  async (call) => {
    const session = await requireFreshCaller(identity, call)
    const { accountId } = session
    const form = parseSingle(call.parameters)
    const body = await identity.database.transaction(async (transaction) => {
      await lockFactors(transaction, accountId)
      // The previous change may have ended the session while this one waited for the lock.
      await requireFreshCaller(identity, call)
      const changed = await change(transaction, session, form, await findFactors(transaction, accountId))
      if (extent === undefined) await afterChange(identity, transaction, accountId, session.sessionId)
      if (hasFactor(await findFactors(transaction, accountId))) return changed
      if (mustHaveFactor(identity, session))
        throw invalid({ generalErrors: ['You must have a second factor. Set up another one first.'] })
      await removeAll(transaction, accountId)
      return changed
    })
    recordChange(identity, call, session, outcome)
    return { body }
  }

/** Recovery codes without a second factor would only be another way in for anyone who finds them. */
export async function removeAll(transaction: Queries, accountId: string): Promise<void> {
  await transaction.query(sql`delete from authenticator_apps where user_id = ${accountId}`)
  await transaction.query(sql`delete from passkeys where user_id = ${accountId}`)
  await transaction.query(sql`delete from recovery_codes where user_id = ${accountId}`)
}

export const firstCodes = async (transaction: Queries, accountId: string, before: AccountFactors) =>
  hasFactor(before) ? null : makeRecoveryCodes(transaction, accountId)

export const recordChange = (
  { securityLog }: Identity,
  { address, requestId }: Call,
  { accountId, sessionId }: LiveSession,
  outcome: string,
  account = accountId,
): void =>
  securityLog({
    event: 'factor-changed',
    outcome,
    account,
    by: accountId,
    ...{ session: sessionId, address, requestId },
  })

/**
 * After this time a new sign-in is required before factors are changed: an unattended screen must not
 * suffice.
 */
const freshMilliseconds = 10 * 60_000

/**
 * Returns the caller's session, which must be of the web client: no other app may view or change sign-in
 * methods.
 */
export async function requireFactorCaller(identity: Identity, { headers }: Call): Promise<LiveSession> {
  const claims = await verifyAccessToken(identity, requireBearer(headers))
  const account = claims && (await findTokenAccount(identity, claims))
  const isOfWebClient = claims?.client_id === webClientId && typeof claims.sid === 'string'
  const session = account && isOfWebClient ? await findLiveSession(identity, String(claims.sid)) : undefined
  if (session === undefined || session.accountId !== account?.accountId) throw invalidToken()
  return session
}

/** RFC 9470: the response states how recent a sign-in must be for this request. */
export async function requireFreshCaller(identity: Identity, call: Call): Promise<LiveSession> {
  const session = await requireFactorCaller(identity, call)
  if (session.authenticatedAt + freshMilliseconds > identity.now()) return session
  throw new OAuthError(
    'insufficient_user_authentication',
    'Sign in again to change how you sign in.',
    `Bearer error="insufficient_user_authentication", max_age="${freshMilliseconds / 1000}"`,
  )
}

/**
 * A user may change a second factor because an attacker is signed in, so the other sessions end (OWASP ASVS
 * 5, 7.4.3) and the user is notified if mails can be sent.
 */
export async function afterChange(
  { settings, now }: Pick<Identity, 'settings' | 'now'>,
  transaction: Queries,
  accountId: string,
  keptSessionId?: string,
): Promise<void> {
  await transaction.query(sql`
    insert into factor_changes (user_id, count) values (${accountId}, 1)
    on conflict (user_id) do update set count = factor_changes.count + 1`)
  await endOtherSessions(transaction, accountId, keptSessionId, now())
  if (settings.mail) await queueMail(transaction, { purpose: 'factors', madeBy: accountId })
}
