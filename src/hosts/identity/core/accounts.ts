import { administratorColumns, type PossibleAdministrator } from '../../../accounts/administrators.ts'
import { isAccountDeactivatedSql } from '../../../accounts/deactivation.ts'
import { hasVerifiedLogin } from '../../../accounts/login.ts'
import type { Queries } from '../../../db/database.ts'
import { raw, type Sql, sql } from '../../../db/sql.ts'

/** The current data of an account, from which tokens are issued. */
export interface Account extends PossibleAdministrator {
  readonly accountId: string
  readonly name: string
  readonly securityStamp: string
  /** Counts the changes of its second factors. */
  readonly factorChanges: number
  /** Whether the user was found to read mail at the login. */
  readonly hasVerifiedLogin: boolean
}

/** The number of changes of the account's factors; the query must alias the row as `account`. */
export const factorChangeCount: Sql = raw(
  'coalesce((select changed.count from factor_changes as changed where changed.user_id = account.id), 0)',
)

/** The columns of an account; the query must alias the row as `account`. */
export const accountColumns: Sql = sql`${raw(
  'account.id as "accountId", account.name, account.security_stamp as "securityStamp"',
)}, ${factorChangeCount}::int as "factorChanges", ${hasVerifiedLogin} as "hasVerifiedLogin", ${administratorColumns}`

/** Finds the active account with this login. Returns undefined if a legacy store has two of them. */
export async function findActiveAccount(
  queries: Queries,
  login: string,
): Promise<(Account & { readonly passwordHash: string }) | undefined> {
  const accounts = await queries.query<Account & { passwordHash: string }>(sql`
    select ${accountColumns}, account.password_hash as "passwordHash" from users as account
    where lower(trim(account.login)) = lower(trim(${login})) and account.active and not ${isAccountDeactivatedSql} limit 2`)
  return accounts.length === 1 ? accounts[0] : undefined
}

/** Finds the account if it is active and not deactivated. */
export async function findAccountById(queries: Queries, id: string): Promise<Account | undefined> {
  const [account] = await queries.query<Account>(sql`
    select ${accountColumns} from users as account
    where account.id = ${id} and account.active and not ${isAccountDeactivatedSql}`)
  return account
}
