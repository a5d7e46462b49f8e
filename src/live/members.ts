import type { LimitedReads } from '../store/limited-reads.ts'
import { sql } from '../store/sql.ts'

/** Projects with more members, or more of them at once, concern nearly everybody. */
const membersMax = 5000

/** The members of each of these projects, as of now; nothing when there are too many. */
export async function membersOf(
  reads: LimitedReads,
  projects: readonly unknown[],
): Promise<((account: string, among: ReadonlySet<unknown>) => boolean) | undefined> {
  const found = await reads.query<{ account: string; project: string }>(
    sql`
    select user_id as account, project_id as project from user_projects
    where active and project_id = any(${projects}::uuid[]) limit ${membersMax + 1}::int`,
    'live listings',
  )
  if (found.length > membersMax) return undefined
  const projectsOf = Map.groupBy(found, ({ account }) => account)
  return (account, among) => projectsOf.get(account)?.some(({ project }) => among.has(project)) ?? false
}
