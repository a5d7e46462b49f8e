import { createHash, randomBytes } from 'node:crypto'
import { queueMail } from '../../../accounts/mail-queue.ts'
import { lockFactors } from '../../../accounts/sign-in.ts'
import { timestamp } from '../../../db/columns.ts'
import type { Database, Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { webClientId } from '../../../model/oidc-client.ts'
import { invalid, notFound } from '../../../model/problem.ts'
import { type Call, type Handler, type Identity, OAuthError, singleParameters } from '../core/endpoint.ts'
import { type Account, type ActiveSession, endOtherSessions, findActiveSession } from '../core/sessions.ts'
import { findTokenAccount, invalidToken, requireBearer, verifyAccessToken } from '../core/tokens.ts'

/** The factors of an account in addition to its password. */
interface AccountFactors {
  /** The time when the authenticator app was set up. */
  readonly appSince: string | null
  readonly recoveryCodesLeft: number
  readonly passkeyCount: number
}

export async function findFactors(queries: Queries | Database, accountId: string): Promise<AccountFactors> {
  const [factors] = await queries.query<AccountFactors>(sql`
    select (select created_at from authenticator_apps where user_id = ${accountId}) as "appSince",
      (select count(*)::int from recovery_codes where user_id = ${accountId}) as "recoveryCodesLeft",
      (select count(*)::int from passkeys where user_id = ${accountId}) as "passkeyCount"`)
  return factors as AccountFactors
}

export const hasFactor = ({ appSince, passkeyCount }: AccountFactors): boolean =>
  appSince !== null || passkeyCount > 0

export const mustHaveFactor = (
  { settings, administrators }: Pick<Identity, 'settings' | 'administrators'>,
  account: Account,
): boolean =>
  settings.secondFactor === 'all' ||
  (settings.secondFactor === 'administrators' && administrators.isAdministrator(account))

/**
 * True if the account must have a second factor but the session began without one, so the user must sign in
 * again.
 */
export const lacksSecondFactor = (
  identity: Pick<Identity, 'settings' | 'administrators'>,
  session: ActiveSession,
): boolean => mustHaveFactor(identity, session) && !session.methods?.includes('mfa')

/**
 * Marks a sealed sign-in step or passkey challenge as used. Returns false if it was already used. Because of
 * the primary key, only one of two concurrent uses succeeds.
 */
export async function consumeStep(
  transaction: Queries,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: number },
): Promise<boolean> {
  const [spent] = await transaction.query(sql`
    insert into spent_steps (id, expires_at) values (${id}, ${timestamp(expiresAt)})
    on conflict do nothing returning true`)
  return spent !== undefined
}

export const recoveryCodeCount = 10
/** Eighty bits cannot be guessed from a hash, so a fast hash suffices. */
const codeBytes = 10

/** Replaces the recovery codes. The database stores only hashes. */
export async function createRecoveryCodes(
  transaction: Queries,
  accountId: string,
): Promise<readonly string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(codeBytes)))
  const hashes = codes.map((code) => hashOf(accountId, code))
  await transaction.query(sql`delete from recovery_codes where user_id = ${accountId}`)
  await transaction.query(sql`
    insert into recovery_codes (user_id, hash) select ${accountId}, unnest(${hashes}::bytea[])`)
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-').toLowerCase())
}

/** Checks a code and deletes it, so that only one of two concurrent uses succeeds. */
export async function useRecoveryCode(
  transaction: Queries,
  accountId: string,
  text: string,
): Promise<boolean> {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase()
  if (!codePattern.test(code)) return false
  const [used] = await transaction.query(sql`
    delete from recovery_codes where user_id = ${accountId} and hash = ${hashOf(accountId, code)} returning true`)
  return used !== undefined
}

const codePattern = /^[A-Z2-7]{16}$/

const hashOf = (accountId: string, code: string): Buffer =>
  createHash('sha256').update(`${accountId} ${code}`).digest()

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, 6, without padding: easy to type, and the format of secrets for authenticator apps. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('')
}

/** The parts of `Identity` that a change of factors needs. The command line has only these. */
interface FactorContext extends Pick<Identity, 'now'> {
  readonly settings: Pick<Identity['settings'], 'isMailConfigured'>
}

type FactorChange = (
  transaction: Queries,
  session: ActiveSession,
  form: Readonly<Record<string, string | undefined>>,
  before: AccountFactors,
) => Promise<unknown>

/**
 * Creates the handler of a change. Changes of an account are serialized and require a recent sign-in. A
 * required last factor cannot be removed. Renaming a passkey changes no credential, so it ends no other
 * sessions and sends no mail.
 */
export const factorChangeHandler =
  (
    identity: Identity,
    outcome: string,
    change: FactorChange,
    { changesCredentials }: { readonly changesCredentials: boolean } = { changesCredentials: true },
  ): Handler =>
  async (call) => {
    const session = await requireRecentSignIn(identity, call)
    const { accountId } = session
    const form = singleParameters(call.parameters)
    const body = await identity.database.transaction(async (transaction) => {
      await lockFactors(transaction, accountId)
      // A previous change may have ended the session while this one waited for the lock.
      await requireRecentSignIn(identity, call)
      const result = await change(transaction, session, form, await findFactors(transaction, accountId))
      if (changesCredentials) await completeFactorChange(identity, transaction, accountId, session.sessionId)
      if (hasFactor(await findFactors(transaction, accountId))) return result
      if (mustHaveFactor(identity, session))
        throw invalid({ generalErrors: ['You must have a second factor. Set up another one first.'] })
      // Only recovery codes are left.
      await removeAllFactors(transaction, accountId)
      return result
    })
    recordFactorChange(identity, call, session, outcome)
    return { body }
  }

/** Also removes recovery codes: without a second factor, they would only help an attacker who finds them. */
async function removeAllFactors(transaction: Queries, accountId: string): Promise<void> {
  await transaction.query(sql`delete from authenticator_apps where user_id = ${accountId}`)
  await transaction.query(sql`delete from passkeys where user_id = ${accountId}`)
  await transaction.query(sql`delete from recovery_codes where user_id = ${accountId}`)
}

/**
 * Removes the second factors of a user who has lost them, and ends all sessions of the account except
 * `keptSessionId`. `authorize` checks the caller again, because the wait for the lock may have been long.
 */
export async function resetFactors(
  context: FactorContext,
  transaction: Queries,
  { accountId, keptSessionId }: { readonly accountId: string; readonly keptSessionId?: string | undefined },
  authorize: () => Promise<void> = async () => undefined,
): Promise<void> {
  await lockFactors(transaction, accountId)
  await authorize()
  if (!hasFactor(await findFactors(transaction, accountId))) throw notFound('Second factor')
  await removeAllFactors(transaction, accountId)
  await completeFactorChange(context, transaction, accountId, keptSessionId)
}

/** Creates recovery codes with the first second factor. Returns null for further factors. */
export const createFirstRecoveryCodes = async (
  transaction: Queries,
  accountId: string,
  before: AccountFactors,
) => (hasFactor(before) ? null : createRecoveryCodes(transaction, accountId))

export const recordFactorChange = (
  { securityLog }: Identity,
  { address, requestId }: Call,
  { accountId: by, sessionId }: ActiveSession,
  outcome: string,
  changedAccountId = by,
): void =>
  securityLog({
    event: 'factor-changed',
    outcome,
    account: changedAccountId,
    by,
    session: sessionId,
    address,
    requestId,
  })

/**
 * The maximum age of a sign-in for changing sign-in methods. With an older one, the user must sign in again,
 * because access to an unattended screen must not suffice.
 */
export const recentSignInMilliseconds = 10 * 60_000

/**
 * Returns the caller's session, which must be of the web client: no other app may view or change sign-in
 * methods, or view accounts as an administrator.
 */
export async function requireWebClientSession(identity: Identity, { headers }: Call): Promise<ActiveSession> {
  const claims = await verifyAccessToken(identity, requireBearer(headers))
  const account = claims && (await findTokenAccount(identity, claims))
  const isOfWebClient = claims?.client_id === webClientId && typeof claims.sid === 'string'
  const session = account && isOfWebClient ? await findActiveSession(identity, String(claims.sid)) : undefined
  if (session === undefined || session.accountId !== account?.accountId) throw invalidToken()
  return session
}

/** Returns the caller's session, which must be recent. The error states how recent it must be (RFC 9470). */
export async function requireRecentSignIn(identity: Identity, call: Call): Promise<ActiveSession> {
  const session = await requireWebClientSession(identity, call)
  if (session.authenticatedAt + recentSignInMilliseconds > identity.now()) return session
  throw new OAuthError(
    'insufficient_user_authentication',
    'Sign in again to change how you sign in.',
    `Bearer error="insufficient_user_authentication", max_age="${recentSignInMilliseconds / 1000}"`,
  )
}

/**
 * Ends the other sessions, because an attacker may use one of them (OWASP ASVS 5, 7.4.3), and notifies the
 * user by mail. Also counts the change, so that the step of a sign-in that began before it no longer works.
 */
export async function completeFactorChange(
  { settings, now }: FactorContext,
  transaction: Queries,
  accountId: string,
  keptSessionId?: string,
): Promise<void> {
  await transaction.query(sql`
    insert into factor_changes (user_id, count) values (${accountId}, 1)
    on conflict (user_id) do update set count = factor_changes.count + 1`)
  await endOtherSessions(transaction, accountId, keptSessionId, now())
  if (settings.isMailConfigured) await queueMail(transaction, { purpose: 'factors', creatorId: accountId })
}
