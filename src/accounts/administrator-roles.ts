import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { forbidden, invalid, missing } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../security-log/security-log.ts'
import type { Database, Queries } from '../store/database.ts'
import { sql } from '../store/sql.ts'
import { type Administrators, administratorColumns, type PossibleAdministrator } from './administrators.ts'
import { endLinksOfAccount } from './links.ts'
import { readFields } from './read-fields.ts'

export interface Roles {
  readonly database: Database
  readonly administrators: Administrators
  readonly securityLog?: SecurityLog
}

/** An administrator by the store. */
export interface StoredAdministrator {
  readonly userId: string
  readonly name: string
  readonly givenBy: string
  readonly givenAt: string
}

/** Few may do everything. */
export const administratorsMax = 100

const onlyAdministrators = () => forbidden('Only administrators may see and choose administrators.')

export function listAdministrators({ database }: Roles, caller: Caller): Promise<StoredAdministrator[]> {
  if (!caller.isAdministrator) throw onlyAdministrators()
  return database.query<StoredAdministrator>(sql`
    select role.user_id as "userId", account.name, role.given_by as "givenBy", role.given_at as "givenAt"
    from administrators as role join users as account on account.id = role.user_id and account.active
    order by account.name, account.id limit ${administratorsMax}::int`)
}

export async function giveRole(roles: Roles, caller: Caller, body: unknown): Promise<void> {
  if (!caller.isAdministrator) throw onlyAdministrators()
  const { userId } = readFields(body, { userId: uuid })
  const isNew = await roles.database.transaction(async (transaction) => {
    const ids = await lockRoles(transaction, roles, caller)
    if (ids.includes(userId)) return false
    if (ids.length >= administratorsMax)
      throw invalid({ userId: [`There may be at most ${administratorsMax} administrators.`] })
    const [account] = await transaction.query(
      sql`select 1 from users where id = ${userId} and active for key share`,
    )
    if (!account) throw missing('User')
    await transaction.query(
      sql`insert into administrators (user_id, given_by) values (${userId}, ${caller.id})`,
    )
    return true
  })
  if (isNew) note(roles, caller, userId, 'given')
}

/** Nobody takes their own: so there is always somebody left who can give it again. */
export async function takeRole(roles: Roles, caller: Caller, body: unknown): Promise<void> {
  if (!caller.isAdministrator) throw onlyAdministrators()
  const { userId } = readFields(body, { userId: uuid })
  if (userId === caller.id)
    throw invalid({ userId: ['Nobody takes the role from themselves. Ask another administrator.'] })
  await roles.database.transaction(async (transaction) => {
    const ids = await lockRoles(transaction, roles, caller)
    if (!ids.includes(userId)) throw missing('Administrator')
    await transaction.query(sql`delete from administrators where user_id = ${userId}`)
    await endLinksOfAccount(transaction, userId)
  })
  note(roles, caller, userId, 'taken')
}

/**
 * Locks the whole table, so that of two who take it from each other at once one is too late, and somebody who has just lost it
 * gives it to nobody: what the caller's token says may be thirty seconds old.
 */
async function lockRoles(
  transaction: Queries,
  { administrators }: Roles,
  caller: Caller,
): Promise<readonly string[]> {
  await transaction.query(sql`lock table administrators in share row exclusive mode`)
  const roles = await transaction.query<{ id: string }>(sql`select user_id as id from administrators`)
  const [account] = await transaction.query<PossibleAdministrator>(
    sql`select ${administratorColumns} from users as account where account.id = ${caller.id} and account.active`,
  )
  if (!account || !administrators.isAdministrator(account)) throw onlyAdministrators()
  return roles.map(({ id }) => id)
}

const note = ({ securityLog }: Roles, caller: Caller, account: string, outcome: 'given' | 'taken'): void =>
  securityLog?.({ event: 'administrator-changed', outcome, ...callerDetails(caller), account, by: caller.id })
