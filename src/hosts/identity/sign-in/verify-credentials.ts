import { isLongerThan } from '../../../model/field-kinds.ts'
import { passwordCharactersMax } from '../../../model/password-policy.ts'
import { loginCharactersMax } from '../../../model/text-limits.ts'
import { sql } from '../../../store/sql.ts'
import { type Account, findActiveAccount } from '../accounts.ts'
import type { Identity } from '../identity.ts'

export interface Verification {
  /** The active account with this login. */
  readonly account: Account | undefined
  readonly isRight: boolean
}

/** Without a difference, for anyone who asks, between an unknown login, an ambiguous one and a wrong password. */
export async function verifyCredentials(
  { database, passwords, lockouts }: Identity,
  given: { readonly login: string; readonly password: string },
  onLocked: (account: Account | undefined) => void,
): Promise<Verification> {
  const login = given.login.trim()
  let account: Account | undefined
  if (isLongerThan(login, loginCharactersMax) || isLongerThan(given.password, passwordCharactersMax))
    return { account, isRight: false }
  const subject = await lockedSubject(database, login)
  const verify = async () => {
    const found = await findActiveAccount(database, login)
    account = found
    return found
      ? passwords.verify(found.passwordHash, given.password)
      : passwords.verifyAbsent(given.password)
  }
  const isRight = await lockouts.guardAttempt({ purpose: 'sign-in', subject }, verify, () =>
    onLocked(account),
  )
  return { account, isRight }
}

/** As the store compares logins: a spelling that it takes for the same must not get five more attempts. */
async function lockedSubject(database: Identity['database'], login: string): Promise<string> {
  const [row] = await database.query<{ subject: string }>(sql`select lower(trim(${login})) as subject`)
  return row?.subject ?? login
}
