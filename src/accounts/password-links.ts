import type { Database, Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { newPassword as newPasswordField, uuid } from '../model/field-kinds.ts'
import { busy, forbidden, invalid, notFound } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { type Administrators, administratorColumns, type PossibleAdministrator } from './administrators.ts'
import { hashNewPassword, recordPasswordChange, storePassword } from './change-password.ts'
import {
  type CreatedLink,
  createLink,
  findOpenLink,
  type Link,
  linkExpired,
  linkSecretField,
  passwordLinkHours,
  redeemLink,
} from './links.ts'
import { isMailAddress, queueMail } from './mail-queue.ts'
import { parseFields } from './parse-fields.ts'
import type { Passwords } from './passwords.ts'
import { lockActiveSession } from './sessions.ts'
import { isAccountDeactivatedSql, recordVerifiedAddress } from './sign-in.ts'

interface PasswordLinkContext {
  readonly database: Database
  readonly passwords: Passwords
  readonly administrators: Administrators
  readonly securityLog?: SecurityLog | undefined
}

/** Creates a password-reset link for a user and invalidates earlier ones. */
export async function createPasswordLink(
  { database, securityLog }: PasswordLinkContext,
  caller: Caller,
  body: unknown,
): Promise<CreatedLink> {
  const userId = parseUserId(caller, body)
  const created = await database.transaction(async (transaction) => {
    const account = await lockAccount(transaction, userId)
    if (!account) throw notFound('User')
    await transaction.query(sql`
      update account_links set ended_at = now()
      where user_id = ${userId} and used_at is null and ended_at is null`)
    return createLink(transaction, {
      purpose: 'password',
      creatorId: caller.id,
      sessionId: caller.origin?.sessionId,
      hours: passwordLinkHours,
      userId,
      securityStamp: account.stamp,
    })
  })
  securityLog?.({
    event: 'link-made',
    outcome: 'password',
    ...callerDetails(caller),
    account: userId,
    by: caller.id,
  })
  return created
}

/**
 * Queues a mail with a password-reset link. The login must be a mail address. The link is created only when
 * the mail is sent, because it is valid for an hour.
 */
export async function requestPasswordMail(
  { database, securityLog }: PasswordLinkContext,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const userId = parseUserId(caller, body)
  await database.transaction(async (transaction) => {
    const account = await lockAccount(transaction, userId)
    if (!account) throw notFound('User')
    if (!isMailAddress(account.login.trim()))
      throw invalid({ userId: ['The login of this account is not a mail address. Create a link instead.'] })
    const sessionId = caller.origin?.sessionId
    await lockActiveSession(transaction, sessionId)
    const request = { purpose: 'password', login: account.login, creatorId: caller.id, sessionId } as const
    const retryAfterSeconds = await queueMail(transaction, request)
    if (retryAfterSeconds !== undefined) throw busy(retryAfterSeconds)
  })
  // `docs/security-events.md` defines this outcome: the mail was queued.
  securityLog?.({
    event: 'mail-asked',
    outcome: 'kept',
    ...callerDetails(caller),
    account: userId,
    by: caller.id,
  })
}

function parseUserId(caller: Caller, body: unknown): string {
  if (!caller.isAdministrator) throw forbidden('Only administrators may create password-reset links.')
  return parseFields(body, { userId: uuid }).userId
}

/**
 * Finds and locks an account that may sign in. All code locks an account before its links, which avoids
 * deadlocks.
 */
async function lockAccount(
  transaction: Queries,
  id: string,
): Promise<{ readonly login: string; readonly stamp: string } | undefined> {
  const [account] = await transaction.query<{ login: string; stamp: string }>(sql`
    select account.login, account.security_stamp as stamp from users as account
    where account.id = ${id} and account.active and not ${isAccountDeactivatedSql} for no key update`)
  return account
}

/**
 * Throws if the creator may no longer reset this password. A link for another account requires that the
 * creator is still an administrator; users request links for their own account.
 */
async function requireEntitledCreator(
  transaction: Queries,
  administrators: Administrators,
  { madeBy, userId }: Link,
): Promise<void> {
  if (madeBy === userId) return
  const [creator] = await transaction.query<PossibleAdministrator>(sql`
    select ${administratorColumns} from users as account
    where account.id = ${madeBy} and account.active and not ${isAccountDeactivatedSql}`)
  if (!creator || !administrators.isAdministrator(creator)) throw linkExpired()
}

/**
 * Sets a new password for the account of the link, and invalidates everything issued to it before. The link
 * is the only authentication.
 */
export async function redeemPasswordLink(
  { database, passwords, administrators, securityLog }: PasswordLinkContext,
  origin: RequestOrigin | undefined,
  body: unknown,
): Promise<void> {
  const input = parseFields(body, { secret: linkSecretField, newPassword: newPasswordField })
  const link = await findOpenLink(database, 'password', input.secret)
  // A constraint of the table requires an account for this purpose.
  const id = link.userId ?? ''
  const [account] = await database.query<{ login: string }>(sql`select login from users where id = ${id}`)
  const passwordHash = await hashNewPassword(passwords, input.newPassword, account?.login)
  // In the history, the account itself has made the change.
  const linkOwner: Caller = { id, isAdministrator: false, ...(origin && { origin }) }
  await database.transaction(async (transaction) => {
    if (!(await lockAccount(transaction, id))) throw linkExpired()
    await requireEntitledCreator(transaction, administrators, link)
    const mailedTo = await redeemLink(transaction, link)
    if (mailedTo !== undefined) await recordVerifiedAddress(transaction, id, mailedTo)
    await storePassword(transaction, linkOwner, passwordHash)
  })
  securityLog?.({ event: 'link-used', outcome: 'password', ...callerDetails(linkOwner), by: link.madeBy })
  recordPasswordChange(securityLog, linkOwner)
}
