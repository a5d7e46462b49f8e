import { raw, type Sql } from '../db/sql.ts'
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
