import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

export interface Involved {
  readonly projectId: string
  /** The responsible account, those that take part, and those that watch, except those that have chosen not to be notified. */
  readonly accounts: Set<string>
}

/** Finds the accounts that changes of these assignments notify. Sends one statement per table, because tables may be on different nodes. */
export async function readInvolved(
  queries: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Involved>> {
  const rows = await queries.query<{ id: string; projectId: string; userId: string }>(
    sql`select id, project_id as "projectId", user_id as "userId" from assignments where active and id = any(${ids}::uuid[])`,
  )
  const involved = new Map(
    rows.map(({ id, projectId, userId }) => [id, { projectId, accounts: new Set([userId]) }]),
  )
  const links = await queries.query<{ id: string; userId: string }>(sql`
    select assignment_id as id, user_id as "userId" from user_assignments
    where active and assignment_id = any(${ids}::uuid[])`)
  for (const { id, userId } of links) involved.get(id)?.accounts.add(userId)
  const watches = await queries.query<{ id: string; userId: string; isWatching: boolean }>(sql`
    select assignment_id as id, user_id as "userId", is_watching as "isWatching" from watches
    where assignment_id = any(${ids}::uuid[])`)
  for (const { id, userId, isWatching } of watches) {
    const accounts = involved.get(id)?.accounts
    if (isWatching) accounts?.add(userId)
    else accounts?.delete(userId)
  }
  return involved
}
