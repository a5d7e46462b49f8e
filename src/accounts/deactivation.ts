import type { Database } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { forbidden, invalid, missing } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { parseFields } from './parse-fields.ts'
import { endSignIns } from './sign-ins.ts'

export interface Deactivation {
  readonly userId: string
  readonly deactivatedBy: string
  readonly deactivatedAt: string
}

/** True if the row aliased as `account` must not sign in. */
export const isDeactivated: Sql = raw(
  'exists (select 1 from deactivated_accounts as shut where shut.user_id = account.id)',
)

/** A listing returns no more; others are found by their ids. */
export const deactivationsListedMax = 100

/** Returns those of the given accounts that are deactivated. */
export function listDeactivations(
  { database }: Deactivating,
  caller: Caller,
  ids: readonly string[],
): Promise<Deactivation[]> {
  requireAdministrator(caller)
  return database.query<Deactivation>(sql`
    select shut.user_id as "userId", shut.deactivated_by as "deactivatedBy", shut.deactivated_at as "deactivatedAt"
    from deactivated_accounts as shut where shut.user_id = any(${ids}::uuid[]) order by shut.user_id`)
}

export interface Deactivating {
  readonly database: Database
  readonly securityLog?: SecurityLog
}

/**
 * Blocks sign-in and invalidates everything issued to the account, in one transaction. A sign-in verified
 * just before this commits fails, because the security stamp has changed.
 */
export async function deactivate(
  { database, securityLog }: Deactivating,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const userId = parseUser(caller, body)
  if (userId === caller.id) throw invalid({ userId: ['You cannot deactivate your own account.'] })
  await database.transaction(async (transaction) => {
    const [account] = await transaction.query(
      sql`select 1 from users where id = ${userId} and active for no key update`,
    )
    if (!account) throw missing('User')
    await transaction.query(sql`
      insert into deactivated_accounts (user_id, deactivated_by) values (${userId}, ${caller.id}) on conflict do nothing`)
    await endSignIns(transaction, [userId])
  })
  securityLog?.(changeOf(caller, userId, 'deactivate'))
}

export async function reactivate(
  { database, securityLog }: Deactivating,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const userId = parseUser(caller, body)
  const [ended] = await database.single.query(
    sql`delete from deactivated_accounts where user_id = ${userId} returning true`,
  )
  if (!ended) throw missing('Deactivation')
  securityLog?.(changeOf(caller, userId, 'reactivate'))
}

function parseUser(caller: Caller, body: unknown): string {
  requireAdministrator(caller)
  return parseFields(body, { userId: uuid }).userId
}

function requireAdministrator({ isAdministrator }: Caller): void {
  if (!isAdministrator) throw forbidden('Only administrators may see and change who is deactivated.')
}

const changeOf = (caller: Caller, account: string, outcome: 'deactivate' | 'reactivate') =>
  ({ event: 'account-changed', outcome, ...callerDetails(caller), account, by: caller.id }) as const
