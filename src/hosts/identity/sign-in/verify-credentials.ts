import { isLongerThan } from '../../../model/field-kinds.ts'
import { passwordCharactersMax } from '../../../model/password-policy.ts'
import { loginCharactersMax } from '../../../model/text-limits.ts'
import { sql } from '../../../store/sql.ts'
import { type Account, findActiveAccount } from '../accounts.ts'
import type { Identity } from '../identity.ts'
import { type NextStep, nextStepOf } from './next-step.ts'

export interface Verification {
  /** The active account with this login. */
  readonly account: Account | undefined
  /** None after a wrong password. */
  readonly next: NextStep | undefined
}

/** An unknown login, an ambiguous one and a wrong password get the same answer, after the same time. */
export async function verifyCredentials(
  identity: Identity,
  given: { readonly login: string; readonly password: string },
  onLocked: (account: Account | undefined) => void,
): Promise<Verification> {
  const { database, passwords, lockouts } = identity
  const login = given.login.trim()
  let account: Account | undefined
  let next: NextStep | undefined
  if (isLongerThan(login, loginCharactersMax) || isLongerThan(given.password, passwordCharactersMax))
    return { account, next }
  const subject = await lockedSubject(database, login)
  const verify = async () => {
    const found = await findActiveAccount(database, login)
    account = found
    if (!found) return passwords.verifyAbsent(given.password)
    if (!(await passwords.verify(found.passwordHash, given.password))) return false
    next = await nextStepOf(identity, found)
    return next === 'session' || 'right so far'
  }
  await lockouts.guardAttempt({ purpose: 'sign-in', subject }, verify, () => onLocked(account))
  return { account, next }
}

/** Lower case, as the store compares logins: another spelling of the same login must not get five more attempts. */
export async function lockedSubject(database: Identity['database'], login: string): Promise<string> {
  const [row] = await database.query<{ subject: string }>(sql`select lower(trim(${login})) as subject`)
  return row?.subject ?? login
}
