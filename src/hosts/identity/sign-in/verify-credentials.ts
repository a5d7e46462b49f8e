import { isLongerThan } from '../../../model/field-kinds.ts'
import { passwordCharactersMax } from '../../../model/password-policy.ts'
import { sql } from '../../../store/sql.ts'
import { type Account, findActiveAccount } from '../accounts.ts'
import type { Identity } from '../identity.ts'

/** As long as a login can be. */
const loginCharactersMax = 256

/** The account, or undefined without a difference between an unknown login, an ambiguous one and a wrong password. */
export async function verifyCredentials(
  { database, passwords, lockouts }: Identity,
  given: { readonly login: string; readonly password: string },
): Promise<Account | undefined> {
  const login = given.login.trim()
  if (isLongerThan(login, loginCharactersMax) || isLongerThan(given.password, passwordCharactersMax))
    return undefined
  let account: Account | undefined
  const subject = await lockedSubject(database, login)
  const isRight = await lockouts.guardAttempt({ purpose: 'sign-in', subject }, async () => {
    const found = await findActiveAccount(database, login)
    account = found
    return found
      ? passwords.verify(found.passwordHash, given.password)
      : passwords.verifyAbsent(given.password)
  })
  return isRight ? account : undefined
}

/** As the store compares logins: a spelling that it takes for the same must not get five more attempts. */
async function lockedSubject(database: Identity['database'], login: string): Promise<string> {
  const [row] = await database.query<{ subject: string }>(sql`select lower(trim(${login})) as subject`)
  return row?.subject ?? login
}
