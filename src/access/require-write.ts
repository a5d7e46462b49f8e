import type { ProjectMembers } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { forbidden } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Queries } from '../store/database.ts'
import type { Values } from '../store/rows.ts'
import { type Sql, sql } from '../store/sql.ts'
import { isMembership, type Memberships } from './visible-rows.ts'

/** Refuses by the caller's role alone, before anything of the request is looked at. */
export function requireRole(resource: Resource, caller: Caller, purpose: 'read' | 'write') {
  if (caller.isAdministrator) return
  const { kind } = resource.access
  if (kind === 'administrators' || (kind === 'catalog' && purpose === 'write')) {
    throw forbidden(
      `Only administrators may ${purpose === 'read' ? 'read' : 'change'} ${resource.pluralNoun}.`,
    )
  }
}

/**
 * Refuses a write the caller may not make to these rows. An update passes the row as it was and as it will be,
 * because moving a row takes membership of both projects.
 */
export async function requireWrite(
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  rows: readonly Values[],
  memberships: Memberships = 'active',
) {
  const { access } = resource
  if (caller.isAdministrator || access.kind !== 'projectMembers')
    return requireRole(resource, caller, 'write')
  const { ownerColumn } = access
  if (ownerColumn && rows.some((row) => row[ownerColumn] !== caller.id)) {
    throw forbidden(`You may only record and change your own ${resource.pluralNoun}.`)
  }
  const [foreign] = await transaction.query(
    sql`select 1 from ${projectsOfRows(access, rows)} as touched where not exists (
      select from user_projects where user_id = ${caller.id} and project_id = touched.project_id and ${isMembership(memberships)}
    ) limit 1`,
  )
  if (foreign) throw forbidden('You are not a member of the project.')
}

function projectsOfRows({ projectPath }: ProjectMembers, rows: readonly Values[]): Sql {
  const [start] = projectPath
  const ids = rows.map((row) => row[start])
  return projectPath.length === 1
    ? sql`(select unnest(${ids}::uuid[]) as project_id)`
    : sql`(select project_id from assignments where id = any(${ids}::uuid[]))`
}
