import type { Database, Queries } from '../db/database.ts'
import { updateRow } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { type Kind, rejected } from '../model/field.ts'
import { isLongerThan, newPassword } from '../model/field-kinds.ts'
import { passwordCharactersMax } from '../model/password-policy.ts'
import { invalid, type Problem, unauthenticated } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import type { Lockouts } from './lockouts.ts'
import { accountTable } from './login.ts'
import { parseFields } from './parse-fields.ts'
import { guessableProblem, type Passwords } from './passwords.ts'
import { endSignIns } from './sign-ins.ts'

export interface PasswordChange {
  readonly database: Database
  readonly passwords: Passwords
  readonly lockouts: Lockouts
  readonly securityLog?: SecurityLog | undefined
}

/** The lockout subject under which an account's wrong current passwords are counted. */
export const passwordChangeOf = ({ id }: Caller) => ({ purpose: 'password-change', subject: id }) as const

/** Replaces the caller's own password and invalidates everything issued to the account before. */
export async function changePassword(
  { database, passwords, lockouts, securityLog }: PasswordChange,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const input = parseFields(body, { currentPassword, newPassword }, requireAnother)
  const { hash: verifiedHash, login } = await verifyCurrent(
    { database, passwords, lockouts, securityLog },
    caller,
    input.currentPassword,
  )
  const problem = guessableProblem(input.newPassword, login)
  if (problem !== undefined) throw invalid({ newPassword: [`NewPassword ${problem}.`] })
  const passwordHash = await passwords.hash(input.newPassword)
  await database.transaction(async (transaction) => {
    const stored = await findCredentials(transaction, caller, raw('for no key update'))
    // A concurrent change has replaced the hash since, so this password is no longer the current one.
    if (stored.hash !== verifiedHash) throw wrongCurrentPassword()
    await updateRow(transaction, accountTable, caller, caller.id, { passwordHash })
    await endSignIns(transaction, [caller.id])
  })
  securityLog?.({ event: 'password-changed', ...callerDetails(caller), by: caller.id })
}

/** This value is only compared, so no policy applies; the limit keeps hashing time bounded. */
const currentPassword: Kind<string> = {
  schema: { type: 'string', format: 'password', maxLength: passwordCharactersMax, writeOnly: true },
  wire: 'text',
  read(input, label) {
    if (typeof input !== 'string') return rejected(`${label} must be text.`)
    return isLongerThan(input, passwordCharactersMax)
      ? rejected(`${label} must be at most ${passwordCharactersMax} characters.`)
      : { value: input }
  },
}

const requireAnother = (
  fields: { readonly currentPassword?: string },
  given: Readonly<Record<string, unknown>>,
) =>
  fields.currentPassword !== undefined && fields.currentPassword === given.newPassword
    ? { newPassword: ['NewPassword must differ from the current password.'] }
    : {}

/** Returns the credentials against which the password was verified. */
async function verifyCurrent(
  { database, passwords, lockouts, securityLog }: PasswordChange,
  caller: Caller,
  password: string,
): Promise<Credentials> {
  let verified: Credentials = { hash: '', login: '' }
  const isRight = await lockouts.guardAttempt(
    passwordChangeOf(caller),
    async () => {
      verified = await findCredentials(database, caller)
      return passwords.verify(verified.hash, password)
    },
    () => securityLog?.({ event: 'lockout-begun', outcome: 'password-change', ...callerDetails(caller) }),
  )
  if (!isRight) throw wrongCurrentPassword()
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
