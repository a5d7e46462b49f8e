import { raw, type Sql } from '../store/sql.ts'
import { normalizeLogin } from './login.ts'

/** What says whether somebody is an administrator: their login, and whether another one made them one. */
export interface PossibleAdministrator {
  readonly login: string
  readonly hasRole: boolean
}

export interface Administrators {
  /** By the settings, where only the people who run the hosts can take it away, or by the role in the store. */
  isAdministrator(account: PossibleAdministrator): boolean
}

export interface AdministratorOptions {
  /** SVC_ADMIN_LOGINS */
  readonly adminLogins: readonly string[]
  /** The administrator while the list is empty, so that a first start has one. */
  readonly demoLogin: string
  /** Without them the settings alone count, as in the contract. */
  readonly extensions?: boolean
}

export function administratorsOf({
  adminLogins,
  demoLogin,
  extensions = true,
}: AdministratorOptions): Administrators {
  const listed = adminLogins.map(normalizeLogin).filter((login) => login !== '')
  const logins = new Set(listed.length > 0 ? listed : [normalizeLogin(demoLogin)])
  return {
    isAdministrator: ({ login, hasRole }) => (extensions && hasRole) || logins.has(normalizeLogin(login)),
  }
}

/** The column `hasRole` of a query that calls the user's row `account`. */
export const hasRole: Sql = raw(
  'exists (select 1 from administrators as role where role.user_id = account.id) as "hasRole"',
)
