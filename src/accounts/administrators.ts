import type { Queries } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { invalid, notFound } from '../model/problem.ts'
import { invalidateAccounts } from './sessions.ts'
import { isAccountDeactivatedSql, isSameLogin, normalizeLogin } from './sign-in.ts'

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
  /**
   * True for every login that could be taken for one in the settings. A new account with such a login might be an
   * administrator at once, so only those who may appoint administrators create it.
   */
  isReserved(login: string): boolean
}

export interface AdministratorOptions {
  /** SVC_ADMIN_LOGINS; while it is empty, the seeded account is the administrator, so that a first start has one. */
  readonly adminLogins: readonly string[]
  /** Without extensions only the settings count, as the contract says. */
  readonly extensions?: boolean
}

export function administratorsOf({ adminLogins, extensions = true }: AdministratorOptions): Administrators {
  const listed = adminLogins.filter((login) => login.trim() !== '')
  const reserved = new Set(listed.map(normalizeLogin))
  return {
    isAdministrator: ({ login, hasRole, isSeeded }) =>
      (extensions && hasRole) ||
      (listed.length === 0 ? isSeeded : listed.some((one) => isSameLogin(one, login))),
    isReserved: (login) => reserved.has(normalizeLogin(login)),
  }
}

/** SQL: the columns of a `PossibleAdministrator`; the query must alias the user's row as `account`. */
export const administratorColumns: Sql = raw(
  `account.login, exists (select 1 from administrators as role where role.user_id = account.id) as "hasRole",
    exists (select 1 from seeded_account as seeded where seeded.user_id = account.id) as "isSeeded"`,
)

/** Returns the active accounts that are administrators and may sign in, by login. */
export async function findAdministrators(
  { query }: Pick<Queries, 'query'>,
  options: AdministratorOptions,
): Promise<readonly FoundAdministrator[]> {
  const accounts = await query<FoundAdministrator>(sql`
    select account.id, ${administratorColumns} from users as account
    where account.active and not ${isAccountDeactivatedSql} and (
      lower(trim(account.login)) in (select lower(trim(listed)) from unnest(${options.adminLogins}::text[]) as listed)
      or account.id in (select user_id from administrators)
      or account.id in (select user_id from seeded_account))
    order by lower(account.login)`)
  return accounts.filter(administratorsOf(options).isAdministrator)
}

export interface FoundAdministrator extends PossibleAdministrator {
  readonly id: string
}

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
  await lockRoles(transaction)
  const [account] = await transaction.query<PossibleAdministrator>(sql`
    select ${administratorColumns} from users as account
    where account.id = ${callerId} and account.active and not ${isAccountDeactivatedSql}`)
  return account !== undefined && isAdministrator(account)
}

async function lockRoles(transaction: Queries): Promise<void> {
  await transaction.query(sql`lock table administrators in share row exclusive mode`)
}

/** Locks the roles, and throws if the change is not allowed. */
export type Authorize = (transaction: Queries) => Promise<void>

/** The operator of the command line needs no role, but may not take the last administrator away. */
export const authorizeOperator =
  (options: AdministratorOptions, losing?: { readonly userId: string; readonly login: string }): Authorize =>
  async (transaction) => {
    await lockRoles(transaction)
    if (losing === undefined) return
    const administrators = await findAdministrators(transaction, options)
    const isAmong = administrators.some(({ id }) => id === losing.userId)
    if (isAmong && administrators.length === 1)
      throw invalid({
        userId: [`${losing.login} is the last administrator. Make another account an administrator first.`],
      })
  }

/** Few accounts should have all rights. */
export const administratorsMax = 100

/** An account, and the one that changes it. */
export interface AccountChange {
  readonly userId: string
  readonly by: string
}

/** Returns false if the account already has the role. */
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
 * Blocks sign-in and invalidates everything issued to the account, in one transaction. A sign-in verified
 * just before this commits fails, because the security stamp has changed. Repeating it also ends whatever was
 * issued in the meantime.
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

/** Opens the sign-in again; what was invalidated stays so. Returns false if the account is not deactivated. */
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
