import type { Queries } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { isDeactivated } from './deactivation.ts'
import { normalizeLogin } from './login.ts'

/** Everything that decides whether an account is an administrator. */
export interface PossibleAdministrator {
  readonly login: string
  /** Another administrator granted the role. */
  readonly hasRole: boolean
  /** The account was created by the seed. */
  readonly isSeeded: boolean
}

export interface Administrators {
  /** True by the settings, which only the operators of the hosts can change, or by the role in the store. */
  isAdministrator(account: PossibleAdministrator): boolean
}

export interface AdministratorOptions {
  /** SVC_ADMIN_LOGINS; while it is empty, the seeded account is the administrator, so that a first start has one. */
  readonly adminLogins: readonly string[]
  /** Without extensions only the settings count, as the contract says. */
  readonly extensions?: boolean
}

export function administratorsOf({ adminLogins, extensions = true }: AdministratorOptions): Administrators {
  const logins = new Set(adminLogins.map(normalizeLogin).filter((login) => login !== ''))
  return {
    isAdministrator: ({ login, hasRole, isSeeded }) =>
      (extensions && hasRole) || (logins.size === 0 ? isSeeded : logins.has(normalizeLogin(login))),
  }
}

/** Selects the columns of a `PossibleAdministrator`; the query must alias the user's row as `account`. */
export const administratorColumns: Sql = raw(
  `account.login, exists (select 1 from administrators as role where role.user_id = account.id) as "hasRole",
    exists (select 1 from seeded_account as seeded where seeded.user_id = account.id) as "isSeeded"`,
)

/** Describes an account before it is created. */
export const newAccount = (login: string): PossibleAdministrator => ({
  login,
  hasRole: false,
  isSeeded: false,
})

/**
 * Serializes the changes that may take rights from an administrator, until the transaction ends, and returns
 * whether the caller still is one: the claim of the caller's token may be thirty seconds old. Two administrators
 * who act on each other concurrently therefore never both succeed, so at least one remains.
 */
export async function lockAdministrators(
  transaction: Queries,
  { isAdministrator }: Administrators,
  callerId: string,
): Promise<boolean> {
  await transaction.query(sql`lock table administrators in share row exclusive mode`)
  const [account] = await transaction.query<PossibleAdministrator>(sql`
    select ${administratorColumns} from users as account
    where account.id = ${callerId} and account.active and not ${isDeactivated}`)
  return account !== undefined && isAdministrator(account)
}
