import { administratorColumns, type PossibleAdministrator } from '../../../accounts/administrators.ts'
import { isDeactivated } from '../../../accounts/deactivation.ts'
import type { Queries } from '../../../db/database.ts'
import { raw, type Sql, sql } from '../../../db/sql.ts'

/** The current data of an account, as included in tokens. */
export interface Account extends PossibleAdministrator {
  readonly accountId: string
  readonly name: string
  readonly securityStamp: string
  /** A counter of the changes of its second factors. */
  readonly factorChanges: number
}

/** The query must alias the row as `account`. */
export const factorChangesOf: Sql = raw(
  'coalesce((select changed.count from factor_changes as changed where changed.user_id = account.id), 0)',
)

/** The columns of an account; the query must alias the row as `account`. */
export const accountColumns: Sql = sql`${raw(
  'account.id as "accountId", account.name, account.security_stamp as "securityStamp"',
)}, ${factorChangesOf}::int as "factorChanges", ${administratorColumns}`

/** Finds the active account with this login; none if a legacy store holds two of them. */
export async function findActiveAccount(
  queries: Queries,
  login: string,
): Promise<(Account & { readonly passwordHash: string }) | undefined> {
  const accounts = await queries.query<Account & { passwordHash: string }>(sql`
    select ${accountColumns}, account.password_hash as "passwordHash" from users as account
    where lower(trim(account.login)) = lower(trim(${login})) and account.active and not ${isDeactivated} limit 2`)
  return accounts.length === 1 ? accounts[0] : undefined
}

/** Finds the account if it is active and not deactivated. */
export async function findAccountById(queries: Queries, id: string): Promise<Account | undefined> {
  const [account] = await queries.query<Account>(sql`
    select ${accountColumns} from users as account
    where account.id = ${id} and account.active and not ${isDeactivated}`)
  return account
}
