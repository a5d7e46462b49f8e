import type { Queries } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { invalid, notFound } from '../model/problem.ts'
import { invalidateAccounts } from './sessions.ts'
import { isAccountDeactivatedSql, isSameLogin, normalizeLogin } from './sign-in.ts'

/** The properties that determine whether an account is an administrator. */
export interface PossibleAdministrator {
  readonly login: string
  /** True if an administrator or the operator has granted the role. */
  readonly hasRole: boolean
  /** True if the account was created at the first start. */
  readonly isSeeded: boolean
}

export interface Administrators {
  /**
   * Returns whether the account has the role, or is listed in the settings. If they list none, the seeded
   * account is an administrator.
   */
  isAdministrator(account: PossibleAdministrator): boolean
  /**
   * Returns whether a new account with this login could be an administrator. Neither an invitation nor a
   * provider that is not trusted with logins creates such an account. This comparison ignores more
   * differences than `isAdministrator`.
   */
  isReserved(login: string): boolean
}

export interface AdministratorOptions {
  /** The setting SVC_ADMIN_LOGINS. If it is empty, the seeded account is an administrator. */
  readonly adminLogins: readonly string[]
  /** If false, the role in the database is ignored, because the contract does not know it. */
  readonly extensions?: boolean
}

export function administratorsOf({ adminLogins, extensions = true }: AdministratorOptions): Administrators {
  const listed = adminLogins.filter((login) => login.trim() !== '')
  const reserved = new Set(listed.map(normalizeLogin))
  return {
    isAdministrator: ({ login, hasRole, isSeeded }) =>
      (extensions && hasRole) ||
      (listed.length === 0 ? isSeeded : listed.some((listedLogin) => isSameLogin(listedLogin, login))),
    isReserved: (login) => reserved.has(normalizeLogin(login)),
  }
}

/** SQL: the columns of a `PossibleAdministrator`. The row of the user must be called `account`. */
export const administratorColumns: Sql = raw(
  `account.login, exists (select 1 from administrators as role where role.user_id = account.id) as "hasRole",
    exists (select 1 from seeded_account as seeded where seeded.user_id = account.id) as "isSeeded"`,
)

/** Returns the administrators who may sign in, ordered by login. */
export async function findAdministrators(
  { query }: Pick<Queries, 'query'>,
  options: AdministratorOptions,
): Promise<readonly FoundAdministrator[]> {
  // The query finds all possible administrators. The seeded account, for example, counts only if the settings
  // list none.
  const accounts = await query<FoundAdministrator>(sql`
    select account.id, ${administratorColumns} from users as account
    where account.active and not ${isAccountDeactivatedSql} and (
      lower(trim(account.login)) in (select lower(trim(listed)) from unnest(${options.adminLogins}::text[]) as listed)
      or account.id in (select user_id from administrators)
      or account.id in (select user_id from seeded_account))
    order by lower(account.login)`)
  return accounts.filter(administratorsOf(options).isAdministrator)
}

interface FoundAdministrator extends PossibleAdministrator {
  readonly id: string
}

/**
 * Locks the roles until the commit, and returns whether the caller is still an administrator. If two
 * administrators revoke each other's role at the same time, only one succeeds, so at least one administrator
 * remains.
 */
export async function lockAdministrators(
  transaction: Queries,
  { isAdministrator }: Administrators,
  callerId: string,
): Promise<boolean> {
  await lockRoles(transaction)
  const [account] = await transaction.query<PossibleAdministrator>(sql`
    select ${administratorColumns} from users as account
    where account.id = ${callerId} and account.active and not ${isAccountDeactivatedSql}`)
  return account !== undefined && isAdministrator(account)
}

async function lockRoles(transaction: Queries): Promise<void> {
  await transaction.query(sql`lock table administrators in share row exclusive mode`)
}

/** Locks the roles, and throws if the caller may not make the change. */
export type Authorize = (transaction: Queries) => Promise<void>

/**
 * Authorizes the operator of the command line, who needs no role but may not deactivate the last
 * administrator.
 */
export const authorizeOperator =
  (
    options: AdministratorOptions,
    /** Given if the change deactivates this account. */
    toDeactivate?: { readonly userId: string; readonly login: string },
  ): Authorize =>
  async (transaction) => {
    await lockRoles(transaction)
    if (toDeactivate === undefined) return
    const administrators = await findAdministrators(transaction, options)
    const isAdministrator = administrators.some(({ id }) => id === toDeactivate.userId)
    if (isAdministrator && administrators.length === 1)
      throw invalid({
        userId: [
          `${toDeactivate.login} is the last administrator. Make another account an administrator first.`,
        ],
      })
  }

/** Few accounts should be administrators. */
export const administratorsMax = 100

interface AccountChange {
  readonly userId: string
  /** The account that makes the change. */
  readonly by: string
}

/** Grants the role. Returns false if the account already has it. */
export async function grantAdministratorRole(
  transaction: Queries,
  { userId, by }: AccountChange,
  authorize: Authorize,
): Promise<boolean> {
  // Locked in the same order as for removing an account: the account, then the roles. This avoids deadlocks.
  const [account] = await transaction.query(
    sql`select 1 from users where id = ${userId} and active for key share`,
  )
  await authorize(transaction)
  const holders = await transaction.query<{ id: string }>(sql`select user_id as id from administrators`)
  if (holders.some(({ id }) => id === userId)) return false
  if (holders.length >= administratorsMax)
    throw invalid({ userId: [`There may be at most ${administratorsMax} administrators.`] })
  if (!account) throw notFound('User')
  await transaction.query(sql`insert into administrators (user_id, given_by) values (${userId}, ${by})`)
  return true
}

/**
 * Blocks the sign-in and invalidates everything that was issued to the account. A sign-in in progress fails
 * because the security stamp has changed.
 */
export async function deactivateAccount(
  transaction: Queries,
  { userId, by }: AccountChange,
  authorize: Authorize,
): Promise<void> {
  // Locked in the same order as for removing an account: the account, then the roles. This avoids deadlocks.
  const [account] = await transaction.query(
    sql`select 1 from users where id = ${userId} and active for no key update`,
  )
  await authorize(transaction)
  if (!account) throw notFound('User')
  await transaction.query(sql`
    insert into deactivated_accounts (user_id, deactivated_by) values (${userId}, ${by}) on conflict do nothing`)
  await invalidateAccounts(transaction, [userId])
}

/**
 * Allows the sign-in again. Earlier sessions and tokens stay invalid. Returns false if the account is not
 * deactivated.
 */
export async function reactivateAccount(
  transaction: Queries,
  userId: string,
  authorize: Authorize,
): Promise<boolean> {
  await authorize(transaction)
  const ended = await transaction.query(
    sql`delete from deactivated_accounts where user_id = ${userId} returning true`,
  )
  return ended.length > 0
}
