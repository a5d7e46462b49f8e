import type { Database, Queries } from '../db/database.ts'
import { type Table, updateRow } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { Caller, RequestOrigin } from '../model/caller.ts'
import { type Kind, parseFailure } from '../model/field.ts'
import {
  isLongerThan,
  newPassword as newPasswordField,
  passwordCharactersMax,
  uuid,
} from '../model/field-kinds.ts'
import {
  busy,
  forbidden,
  invalid,
  notFound,
  type Problem,
  parseFields,
  unauthenticated,
} from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { type Administrators, administratorColumns, type PossibleAdministrator } from './administrators.ts'
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
import type { LockoutKey, Lockouts } from './lockouts.ts'
import { isMailAddress, queueMail } from './mail-queue.ts'
import { type Passwords, whyGuessable } from './passwords.ts'
import { invalidateAccounts, lockActiveSession } from './sessions.ts'
import { isAccountDeactivatedSql, recordVerifiedAddress } from './sign-in.ts'

interface PasswordChangeContext {
  readonly database: Database
  readonly passwords: Passwords
  readonly lockouts: Lockouts
  readonly securityLog?: SecurityLog | undefined
}

/** The key under which wrong current passwords of an account are counted. */
export const passwordChangeKey = ({ id }: Caller): LockoutKey => ({ purpose: 'password-change', subject: id })

/** Replaces the caller's own password and invalidates everything issued to the account before. */
export async function changePassword(
  { database, passwords, lockouts, securityLog }: PasswordChangeContext,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const input = parseFields(
    body,
    { currentPassword: currentPasswordField, newPassword: newPasswordField },
    samePasswordErrors,
  )
  const { hash: verifiedHash, login } = await verifyCurrentPassword(
    { database, passwords, lockouts, securityLog },
    caller,
    input.currentPassword,
  )
  const passwordHash = await hashNewPassword(passwords, input.newPassword, login)
  await database.transaction(async (transaction) => {
    const stored = await findCredentials(transaction, caller, raw('for no key update'))
    // Another request has changed the password since it was verified.
    if (stored.hash !== verifiedHash) throw wrongCurrentPassword()
    await storePassword(transaction, caller, passwordHash)
  })
  recordPasswordChange(securityLog, caller)
}

/**
 * Sets the password of the writer's account without asking for the current one, and ends the sessions of the
 * account. On the command line, the operator writes as this account.
 */
export async function resetPassword(
  { database, passwords, securityLog }: Omit<PasswordChangeContext, 'lockouts'>,
  writer: Caller,
  body: unknown,
): Promise<void> {
  const input = parseFields(body, { newPassword: newPasswordField })
  const { login } = await findCredentials(database, writer)
  const passwordHash = await hashNewPassword(passwords, input.newPassword, login)
  await database.transaction(async (transaction) => {
    await findCredentials(transaction, writer, raw('for no key update'))
    await storePassword(transaction, writer, passwordHash)
  })
  recordPasswordChange(securityLog, writer)
}

/** Hashes a password, or throws if it is easily guessed. */
function hashNewPassword(
  passwords: Passwords,
  newPassword: string,
  login: string | undefined,
): Promise<string> {
  const reason = whyGuessable(newPassword, login)
  if (reason !== undefined) throw invalid({ newPassword: [`NewPassword ${reason}.`] })
  return passwords.hash(newPassword)
}

/**
 * Replaces the password of the writer's account, and invalidates everything issued to it before. The caller
 * must have locked the account's row.
 */
async function storePassword(transaction: Queries, writer: Caller, passwordHash: string): Promise<void> {
  await updateRow(transaction, accountTable, writer, writer.id, { passwordHash })
  await invalidateAccounts(transaction, [writer.id])
}

export const recordPasswordChange = (
  securityLog: SecurityLog | undefined,
  writer: Caller,
  account = writer.id,
): void => securityLog?.({ event: 'password-changed', ...callerDetails(writer), account, by: writer.id })

/** The rules for new passwords do not apply, because it is only compared. The limit bounds the time of hashing. */
const currentPasswordField: Kind<string> = {
  schema: { type: 'string', format: 'password', maxLength: passwordCharactersMax, writeOnly: true },
  wire: 'text',
  parse(input, label) {
    if (typeof input !== 'string') return parseFailure(`${label} must be text.`)
    return isLongerThan(input, passwordCharactersMax)
      ? parseFailure(`${label} must be at most ${passwordCharactersMax} characters.`)
      : { value: input }
  },
}

/**
 * Compares with the password in the body, because a new password that is invalid for another reason has no
 * parsed value.
 */
const samePasswordErrors = (
  fields: { readonly currentPassword?: string },
  body: Readonly<Record<string, unknown>>,
) =>
  fields.currentPassword !== undefined && fields.currentPassword === body.newPassword
    ? { newPassword: ['NewPassword must differ from the current password.'] }
    : {}

/** Returns the credentials against which the password was verified. */
async function verifyCurrentPassword(
  { database, passwords, lockouts, securityLog }: PasswordChangeContext,
  caller: Caller,
  password: string,
): Promise<Credentials> {
  let verified: Credentials | undefined
  const isCorrect = await lockouts.guardAttempt(
    passwordChangeKey(caller),
    async () => {
      const credentials = await findCredentials(database, caller)
      verified = credentials
      return (await passwords.verify(credentials.hash, password)) ? 'passed' : 'failed'
    },
    () => securityLog?.({ event: 'lockout-begun', outcome: 'password-change', ...callerDetails(caller) }),
  )
  if (!isCorrect || verified === undefined) throw wrongCurrentPassword()
  return verified
}

interface Credentials {
  readonly hash: string
  readonly login: string
}

async function findCredentials(queries: Queries, caller: Caller, lock: Sql = raw('')): Promise<Credentials> {
  const [account] = await queries.query<Credentials>(
    sql`select password_hash as hash, login from users where id = ${caller.id} and active ${lock}`,
  )
  if (!account) throw unauthenticated()
  return account
}

const wrongCurrentPassword = (): Problem =>
  invalid({ currentPassword: ['The current password is incorrect.'] })

/** The table of accounts, with the columns that responses contain. */
export const accountTable: Table = {
  name: 'user',
  table: 'users',
  columns: ['id', 'name', 'login', 'createdAt', 'updatedAt'],
}

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
  // The outcome `kept` means that the mail was queued.
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
 * Throws if the creator may no longer reset this password. The creator must own the account or be an
 * administrator.
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
  // The history records the account itself as the author of the change.
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
