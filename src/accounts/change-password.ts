import type { Database, Queries } from '../db/database.ts'
import { type Table, updateRow } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { type Kind, parseFailure } from '../model/field.ts'
import { isLongerThan, newPassword as newPasswordField, passwordCharactersMax } from '../model/field-kinds.ts'
import { invalid, type Problem, unauthenticated } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import type { LockoutKey, Lockouts } from './lockouts.ts'
import { parseFields } from './parse-fields.ts'
import { guessableProblem, type Passwords } from './passwords.ts'
import { invalidateAccounts } from './sessions.ts'

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
 * Sets the password of the writer's account without the current one, for the operator of the command line,
 * and ends its sessions.
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
export function hashNewPassword(
  passwords: Passwords,
  newPassword: string,
  login: string | undefined,
): Promise<string> {
  const guessable = guessableProblem(newPassword, login)
  if (guessable !== undefined) throw invalid({ newPassword: [`NewPassword ${guessable}.`] })
  return passwords.hash(newPassword)
}

/**
 * Replaces the password of the writer's account, and invalidates everything issued to it before. The caller
 * must have locked the account's row.
 */
export async function storePassword(
  transaction: Queries,
  writer: Caller,
  passwordHash: string,
): Promise<void> {
  await updateRow(transaction, accountTable, writer, writer.id, { passwordHash })
  await invalidateAccounts(transaction, [writer.id])
}

export const recordPasswordChange = (
  securityLog: SecurityLog | undefined,
  writer: Caller,
  account = writer.id,
): void => securityLog?.({ event: 'password-changed', ...callerDetails(writer), account, by: writer.id })

/** The policy does not apply to a password that is only compared. The limit bounds the time of hashing. */
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
 * Compares with the new password in the body, not with the parsed one: a new password that is invalid for
 * another reason has no parsed value, but gets this error, too.
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
