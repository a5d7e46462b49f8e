import type { Database, Queries } from '../db/database.ts'
import { updateRow } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { newPassword, text, uuid } from '../model/field-kinds.ts'
import { busy, forbidden, invalid, missing } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { type Administrators, administratorColumns, type PossibleAdministrator } from './administrators.ts'
import { isDeactivated } from './deactivation.ts'
import { findOpenLink, type Link, linkExpired, type MadeLink, makeLink, useLink } from './links.ts'
import { accountTable } from './login.ts'
import { isMailAddress, queueMail } from './mail-queue.ts'
import { parseFields } from './parse-fields.ts'
import { guessableProblem, type Passwords } from './passwords.ts'
import { endSignIns, requireSignIn } from './sign-ins.ts'

export interface PasswordLinks {
  readonly database: Database
  readonly passwords: Passwords
  readonly securityLog?: SecurityLog | undefined
}

export const passwordLinkHours = 1
export const secretCharactersMax = 100
/** The secret in the link's address. */
export const secretKind = text({ max: secretCharactersMax })

/** Creates a password-reset link for a user and invalidates earlier ones. */
export async function makePasswordLink(
  { database, securityLog }: PasswordLinks,
  caller: Caller,
  body: unknown,
): Promise<MadeLink> {
  if (!caller.isAdministrator) throw forbidden('Only administrators may make links for new passwords.')
  const { userId } = parseFields(body, { userId: uuid })
  const made = await database.transaction(async (transaction) => {
    const [account] = await transaction.query<{ stamp: string }>(sql`
      select account.security_stamp as stamp from users as account
      where account.id = ${userId} and account.active and not ${isDeactivated} for no key update`)
    if (!account) throw missing('User')
    await transaction.query(sql`
      update account_links set ended_at = now()
      where user_id = ${userId} and used_at is null and ended_at is null`)
    return makeLink(transaction, {
      purpose: 'password',
      madeBy: caller.id,
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
  return made
}

/**
 * Queues a mail with a password-reset link. The login must be a mail address; the link is created when the mail is
 * sent, so that it is fresh.
 */
export async function mailPasswordLink(
  { database, securityLog }: PasswordLinks,
  caller: Caller,
  body: unknown,
): Promise<void> {
  if (!caller.isAdministrator) throw forbidden('Only administrators may make links for new passwords.')
  const { userId } = parseFields(body, { userId: uuid })
  await database.transaction(async (transaction) => {
    const [account] = await transaction.query<{ login: string }>(sql`
      select account.login from users as account
      where account.id = ${userId} and account.active and not ${isDeactivated}`)
    if (!account) throw missing('User')
    if (!isMailAddress(account.login.trim()))
      throw invalid({ userId: ['The login of this account is no mail address. Make a link instead.'] })
    const sessionId = caller.origin?.sessionId
    await requireSignIn(transaction, sessionId)
    const requested = { purpose: 'password', login: account.login, madeBy: caller.id, sessionId } as const
    const retryAfterSeconds = await queueMail(transaction, requested)
    if (retryAfterSeconds !== undefined) throw busy(retryAfterSeconds)
  })
  securityLog?.({
    event: 'mail-asked',
    outcome: 'kept',
    ...callerDetails(caller),
    account: userId,
    by: caller.id,
  })
}

/**
 * A link created by an administrator is valid only while that user is one; users may request links for themselves.
 */
async function requireMaker(
  transaction: Queries,
  administrators: Administrators,
  { madeBy, userId }: Link,
): Promise<void> {
  if (madeBy === userId) return
  const [maker] = await transaction.query<PossibleAdministrator>(sql`
    select ${administratorColumns} from users as account
    where account.id = ${madeBy} and account.active and not ${isDeactivated}`)
  if (!maker || !administrators.isAdministrator(maker)) throw linkExpired()
}

/**
 * Possession of the link suffices: the account gets the new password, and everything issued before is
 * invalidated.
 */
export async function usePasswordLink(
  { database, passwords, securityLog }: PasswordLinks,
  administrators: Administrators,
  origin: RequestOrigin | undefined,
  body: unknown,
): Promise<void> {
  const input = parseFields(body, { secret: secretKind, newPassword })
  const link = await findOpenLink(database, 'password', input.secret)
  const id = link.userId ?? ''
  const [account] = await database.query<{ login: string }>(sql`select login from users where id = ${id}`)
  const problem = guessableProblem(input.newPassword, account?.login)
  if (problem !== undefined) throw invalid({ newPassword: [`NewPassword ${problem}.`] })
  const passwordHash = await passwords.hash(input.newPassword)
  const writer: Caller = { id, isAdministrator: false, ...(origin && { origin }) }
  await database.transaction(async (transaction) => {
    // Locks in the same order as creating a link: the account, then its links. This avoids deadlocks.
    const [active] = await transaction.query(sql`
      select 1 from users as account where account.id = ${id} and account.active and not ${isDeactivated}
      for no key update`)
    if (!active) throw linkExpired()
    await requireMaker(transaction, administrators, link)
    await useLink(transaction, link)
    await updateRow(transaction, accountTable, writer, id, { passwordHash })
    await endSignIns(transaction, [id])
  })
  securityLog?.({ event: 'link-used', outcome: 'password', ...callerDetails(writer), by: link.madeBy })
  securityLog?.({ event: 'password-changed', ...callerDetails(writer), by: id })
}
