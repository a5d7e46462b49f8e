import type { ProjectPath } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import { column } from '../store/rows.ts'
import { raw, type Sql, sql } from '../store/sql.ts'

/** Whose memberships count: a project that was removed keeps its members for the day somebody restores it. */
export type Memberships = 'active' | 'activeOrRemovedWithProject'

/** The condition a row called `row` must meet for the caller to see it: every verb but create uses it. */
export function visibleRows({ access }: Resource, caller: Caller, memberships: Memberships = 'active'): Sql {
  if (caller.isAdministrator) return raw('true')
  switch (access.kind) {
    case 'catalog':
      return raw('true')
    case 'administrators':
      return raw('false')
    case 'projectMembers':
      return inProjects(access.projectPath, projectsOf(caller, memberships))
  }
}

/** Whose eyes see the same rows: live listings with one view share a snapshot. */
export function viewOf({ access }: Resource, caller: Caller): string {
  if (access.kind === 'catalog') return 'everybody'
  return caller.isAdministrator ? 'administrators' : caller.id
}

/** The resources whose changes can change what this caller sees of this one. */
export function changesThatMatter({ name, access }: Resource, caller: Caller): string[] {
  if (access.kind !== 'projectMembers' || caller.isAdministrator) return [name]
  return access.projectPath.length === 2 ? [name, 'userProject', 'assignment'] : [name, 'userProject']
}

/** The condition under which a row of `user_projects` makes its user a member. */
const isMembership = (memberships: Memberships): Sql =>
  memberships === 'active' ? raw('active') : raw('(active or removed_with = project_id)')

const projectsOf = (caller: Caller, memberships: Memberships): Sql =>
  sql`(select project_id from user_projects where user_id = ${caller.id} and ${isMembership(memberships)})`

function inProjects(path: ProjectPath, projects: Sql): Sql {
  if (path.length === 1) return sql`row.${column(path[0])} in ${projects}`
  return sql`row.assignment_id in (select id from assignments where project_id in ${projects})`
}
