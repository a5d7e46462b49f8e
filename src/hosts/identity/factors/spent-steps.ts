import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { timestamp } from '../values/timestamps.ts'

/**
 * Marks the step as used; returns false if it already was. The primary key lets only one of two concurrent
 * uses succeed.
 */
export async function spendStep(
  transaction: Queries,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: number },
): Promise<boolean> {
  const [spent] = await transaction.query(sql`
    insert into spent_steps (id, expires_at) values (${id}, ${timestamp(expiresAt)})
    on conflict do nothing returning true`)
  return spent !== undefined
}
