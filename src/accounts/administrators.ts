import { normalizeLogin } from './login.ts'

export interface Administrators {
  isAdministrator(login: string): boolean
}

export interface AdministratorOptions {
  /** SVC_ADMIN_LOGINS */
  readonly adminLogins: readonly string[]
  /** The administrator while the list is empty, so that a first start has one. */
  readonly demoLogin: string
}

export function administratorsOf({ adminLogins, demoLogin }: AdministratorOptions): Administrators {
  const listed = adminLogins.map(normalizeLogin).filter((login) => login !== '')
  const logins = new Set(listed.length > 0 ? listed : [normalizeLogin(demoLogin)])
  return { isAdministrator: (login) => logins.has(normalizeLogin(login)) }
}
