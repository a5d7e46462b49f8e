import type { ProjectMembers } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { forbidden } from '../model/problem.ts'
import type { Listed, Resource } from '../resources/define-resource.ts'
import type { Queries } from '../store/database.ts'
import type { Values } from '../store/rows.ts'
import { type Sql, sql } from '../store/sql.ts'

/** Refuses by the caller's role alone, before anything of the request is looked at. */
export function requireRole(resource: Listed, caller: Caller, purpose: 'read' | 'write') {
  if (caller.isAdministrator) return
  const { kind } = resource.access
  if (kind === 'administrators' || (kind === 'catalog' && purpose === 'write')) {
    throw forbidden(
      `Only administrators may ${purpose === 'read' ? 'read' : 'change'} ${resource.pluralNoun}.`,
    )
  }
}

/** Refuses a write to rows that belong to somebody else. An update passes the row as it was and as it will be. */
export function requireOwner({ access, pluralNoun }: Resource, caller: Caller, rows: readonly Values[]) {
  const ownerColumn = access.kind === 'projectMembers' ? access.ownerColumn : undefined
  if (caller.isAdministrator || !ownerColumn || rows.every((row) => row[ownerColumn] === caller.id)) return
  throw forbidden(`You may only record and change your own ${pluralNoun}.`)
}

/**
 * Refuses to write rows into projects the caller is not a member of: new rows, and rows that move. Of a row that the
 * caller can see this is known already, because members and nobody else see it.
 */
export async function requireMembership(
  transaction: Queries,
  { access }: Resource,
  caller: Caller,
  row: Values,
) {
  if (caller.isAdministrator || access.kind !== 'projectMembers') return
  const [foreign] = await transaction.query(
    sql`select 1 from ${projectOfRow(access, row)} as touched where not exists (
      select from user_projects where user_id = ${caller.id} and project_id = touched.project_id and active
    )`,
  )
  if (foreign) throw forbidden('You are not a member of the project.')
}

/** Whether the row may come to be in another project than before. */
export const isMoved = ({ access }: Resource, before: Values, after: Values): boolean =>
  access.kind === 'projectMembers' && before[access.projectPath[0]] !== after[access.projectPath[0]]

function projectOfRow({ projectPath }: ProjectMembers, row: Values): Sql {
  const id = row[projectPath[0]]
  return projectPath.length === 1
    ? sql`(select ${id}::uuid as project_id)`
    : sql`(select project_id from assignments where id = ${id})`
}
