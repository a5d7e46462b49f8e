import type { Database, Queries } from '../db/database.ts'
import { type Table, updateRow } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { type Kind, parseFailure } from '../model/field.ts'
import { isLongerThan, newPassword as newPasswordField, passwordCharactersMax } from '../model/field-kinds.ts'
import { invalid, type Problem, unauthenticated } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import type { Lockouts } from './lockouts.ts'
import { parseFields } from './parse-fields.ts'
import { guessableProblem, type Passwords } from './passwords.ts'
import { invalidateAccounts } from './sessions.ts'

export interface PasswordChangeContext {
  readonly database: Database
  readonly passwords: Passwords
  readonly lockouts: Lockouts
  readonly securityLog?: SecurityLog | undefined
}

/** The lockout subject under which an account's wrong current passwords are counted. */
export const passwordChangeSubject = ({ id }: Caller) =>
  ({ purpose: 'password-change', subject: id }) as const

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
    // A concurrent change has replaced the hash since, so this password is no longer the current one.
    if (stored.hash !== verifiedHash) throw wrongCurrentPassword()
    await storePassword(transaction, caller, passwordHash)
  })
  recordPasswordChange(securityLog, caller)
}

/** Gives the writer's account the password, and ends its sessions; the operator of the command line knows no current one. */
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

/** Rejects a password that is easily guessed, before it costs the time of a hash. */
export function hashNewPassword(
  passwords: Passwords,
  newPassword: string,
  login: string | undefined,
): Promise<string> {
  const guessable = guessableProblem(newPassword, login)
  if (guessable !== undefined) throw invalid({ newPassword: [`NewPassword ${guessable}.`] })
  return passwords.hash(newPassword)
}

/** Replaces the password of the writer's account, whose row is locked, and invalidates everything issued to it before. */
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

/** This value is only compared, so no policy applies; the limit keeps hashing time bounded. */
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

/** The new password is compared as given, because it has no parsed value if it is invalid. */
const samePasswordErrors = (
  fields: { readonly currentPassword?: string },
  given: Readonly<Record<string, unknown>>,
) =>
  fields.currentPassword !== undefined && fields.currentPassword === given.newPassword
    ? { newPassword: ['NewPassword must differ from the current password.'] }
    : {}

/** Returns the credentials against which the password was verified. */
async function verifyCurrentPassword(
  { database, passwords, lockouts, securityLog }: PasswordChangeContext,
  caller: Caller,
  password: string,
): Promise<Credentials> {
  let verified: Credentials | undefined
  const isRight = await lockouts.guardAttempt(
    passwordChangeSubject(caller),
    async () => {
      const credentials = await findCredentials(database, caller)
      verified = credentials
      return passwords.verify(credentials.hash, password)
    },
    () => securityLog?.({ event: 'lockout-begun', outcome: 'password-change', ...callerDetails(caller) }),
  )
  if (!isRight || verified === undefined) throw wrongCurrentPassword()
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

/** The columns that users see of their own account. */
export const accountTable: Table = {
  name: 'user',
  table: 'users',
  columns: ['id', 'name', 'login', 'createdAt', 'updatedAt'],
}
