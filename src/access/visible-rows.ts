import type { ProjectPath } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import type { Listed } from '../resources/define-resource.ts'
import { column } from '../store/columns.ts'
import { raw, type Sql, sql } from '../store/sql.ts'
import { isCovered } from './token-rights.ts'

/** Whose memberships count: a project that was removed keeps its members for the day somebody restores it. */
export type Memberships = 'active' | 'activeOrRemovedWithProject'

/** Active rows are there to be read, removed ones to be restored. */
export type RowState = 'active' | 'removed'

/** Whether all rows are asked for one caller, or each for its own, whose id is then SQL. */
export type Callers = 'one' | 'each'

/** The condition a row called `row` must meet for the caller to see it: every verb but create uses it. */
export function visibleRows(
  listed: Listed,
  caller: Caller,
  memberships: Memberships = 'active',
  callers: Callers = 'one',
): Sql {
  if (!isCovered(caller, listed, 'read')) return raw('false')
  const { access } = listed
  if (caller.isAdministrator) return raw('true')
  switch (access.kind) {
    case 'catalog':
      return raw('true')
    case 'administrators':
      return raw('false')
    case 'colleagues':
      return isColleague(caller)
    case 'owner':
      return sql`row.${column(access.ownerColumn)} = ${caller.id}`
    case 'projectMembers':
      return inProjects(access.projectPath, caller, memberships, callers)
  }
}

/** Whether there is nothing that the caller may not see: then visibility makes a search no shorter. */
export const seesEveryRow = ({ access }: Listed, { isAdministrator }: Caller): boolean =>
  isAdministrator || access.kind === 'catalog'

/** A text that is equal for callers who see the same rows: live listings with equal views share a snapshot. */
export function viewOf({ access }: Listed, caller: Caller): string {
  const { id, isAdministrator, token } = caller
  // What it sees follows from the token too, and from what its account was when the listing began.
  if (token) return JSON.stringify(['token', token.id, isAdministrator, token.isOfAdministrator])
  if (access.kind === 'catalog') return 'everybody'
  return isAdministrator ? 'administrators' : id
}

/** The resources whose changes can change what this caller sees of this one. */
export function changesThatMatter(
  { name, access }: Listed,
  caller: Caller,
  state: RowState = 'active',
): string[] {
  if (access.kind === 'colleagues') return caller.isAdministrator ? ['user'] : ['user', 'userProject']
  if (access.kind !== 'projectMembers' || caller.isAdministrator) return [name]
  const path = access.projectPath.length === 2 ? ['userProject', 'assignment'] : ['userProject']
  // Restoring one of them may pass a removed membership on to the other, with no line of its own in the change log.
  const isOfRemoved = state === 'removed'
  const projects = isOfRemoved || caller.token?.isOfAdministrator ? ['project'] : []
  return [name, ...path, ...(isOfRemoved ? ['user'] : []), ...projects]
}

/** The condition under which a row of `user_projects` makes its user a member. */
const isMembership = (memberships: Memberships): Sql =>
  memberships === 'active' ? raw('active') : raw('(active or removed_with = project_id)')

/** The one place that says in which projects a caller is a member; those of a token are never more. */
export function projectsOf({ id, token }: Caller, memberships: Memberships): Sql {
  const limit = token?.projectIds
  if (limit && token.isOfAdministrator) {
    const active = raw(memberships === 'active' ? 'and active' : '')
    return sql`(select id as project_id from projects where id = any(${limit}::uuid[]) ${active})`
  }
  const isWithin = limit ? sql`and project_id = any(${limit}::uuid[])` : raw('')
  return sql`(select project_id from user_projects where user_id = ${id} and ${isMembership(memberships)} ${isWithin})`
}

/** No removed project has an active membership: they go with it, and come back with it. */
const isColleague = (caller: Caller): Sql => sql`row.id in (
  select ${caller.id}::uuid
  union all
  select user_id from user_projects where active and project_id in ${projectsOf(caller, 'active')}
)`

/**
 * Active rows have an active assignment; with this condition, which is always true, the store can use its index of those. One
 * caller's assignments are found once for all rows; of a caller of its own, a row would have all of them found again.
 */
function inProjects(path: ProjectPath, caller: Caller, memberships: Memberships, callers: Callers): Sql {
  const projects = projectsOf(caller, memberships)
  if (path.length === 1) return sql`row.${column(path[0])} in ${projects}`
  const assignments = raw(memberships === 'active' ? 'active and' : '')
  const its = raw(callers === 'each' ? 'id = row.assignment_id and' : '')
  return sql`row.assignment_id in (select id from assignments where ${its} ${assignments} project_id in ${projects})`
}
