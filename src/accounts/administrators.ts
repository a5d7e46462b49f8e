import { raw, type Sql } from '../db/sql.ts'
import { normalizeLogin } from './login.ts'

/** All that decides whether an account is an administrator. */
export interface PossibleAdministrator {
  readonly login: string
  /** Another administrator made it one. */
  readonly hasRole: boolean
  /** The store was seeded with it. */
  readonly isSeeded: boolean
}

export interface Administrators {
  /** By the settings, where only the people who run the hosts can take it away, or by the role in the store. */
  isAdministrator(account: PossibleAdministrator): boolean
}

export interface AdministratorOptions {
  /** SVC_ADMIN_LOGINS; while it is empty, the seeded account is the administrator, so that a first start has one. */
  readonly adminLogins: readonly string[]
  /** Without them the settings alone count, as in the contract. */
  readonly extensions?: boolean
}

export function administratorsOf({ adminLogins, extensions = true }: AdministratorOptions): Administrators {
  const logins = new Set(adminLogins.map(normalizeLogin).filter((login) => login !== ''))
  return {
    isAdministrator: ({ login, hasRole, isSeeded }) =>
      (extensions && hasRole) || (logins.size === 0 ? isSeeded : logins.has(normalizeLogin(login))),
  }
}

/** The columns of a `PossibleAdministrator` in a query that calls the user's row `account`. */
export const administratorColumns: Sql = raw(
  `account.login, exists (select 1 from administrators as role where role.user_id = account.id) as "hasRole",
    exists (select 1 from seeded_account as seeded where seeded.user_id = account.id) as "isSeeded"`,
)

/** An account that is still to be made. */
export const newAccount = (login: string): PossibleAdministrator => ({
  login,
  hasRole: false,
  isSeeded: false,
})
