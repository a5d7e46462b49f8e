import { column } from '../db/columns.ts'
import type { Condition } from '../db/conditional-write.ts'
import type { Values } from '../db/rows.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'
import { ownerColumnOf, type ProjectMembers } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { forbidden } from '../model/problem.ts'
import type { Listed, Resource } from '../resources/define-resource.ts'
import { type Purpose, requireCovered } from './token-rights.ts'
import { projectsOf } from './visible-rows.ts'

/** Checks the caller's role and token, before anything of the request is parsed. */
export function requireRole(resource: Listed, caller: Caller, purpose: Purpose) {
  requireCovered(caller, resource, purpose)
  if (caller.isAdministrator) return
  const { kind } = resource.access
  if (kind === 'administrators' || (kind === 'catalog' && purpose === 'write')) {
    throw forbidden(
      `Only administrators may ${purpose === 'read' ? 'read' : 'change'} ${resource.pluralNoun}.`,
    )
  }
}

/** Rejects removing or restoring rows that belong to another user. */
export function requireOwner(resource: Resource, caller: Caller, rows: readonly Values[]) {
  const owner = ownerColumnFor(resource, caller)
  if (owner && rows.some((row) => row[owner] !== caller.id)) throw notOwner(resource)
}

/** Neither the new row nor, on an update, the stored row `before` may belong to another user. */
export function ownerConditions(
  resource: Resource,
  caller: Caller,
  row: Values,
  { before }: { readonly before?: string } = {},
): Condition[] {
  const owner = ownerColumnFor(resource, caller)
  if (!owner) return []
  const refusedIf = [
    ...(owner in row ? [sql`${row[owner]}::uuid <> ${caller.id}::uuid`] : []),
    ...(before ? [sql`${raw(before)}.${column(owner)} <> ${caller.id}`] : []),
  ]
  return [{ refusedIf: join(refusedIf, ' or '), refusal: () => notOwner(resource) }]
}

const ownerColumnFor = ({ access }: Resource, caller: Caller) =>
  caller.isAdministrator ? undefined : ownerColumnOf(access)

const notOwner = ({ pluralNoun }: Resource) =>
  forbidden(`You may only record and change your own ${pluralNoun}.`)

/**
 * Only members write rows into a project: new rows, and rows that move there from the project of the row
 * `before`. A row that stays in its project needs no check, because only members see it.
 */
export function membershipConditions(
  { access }: Resource,
  caller: Caller,
  row: Values,
  { before }: { readonly before?: string } = {},
): Condition[] {
  if (caller.isAdministrator || access.kind !== 'projectMembers') return []
  const [first] = access.projectPath
  if (before ? first === 'id' || !(first in row) : access.anyoneMayCreate && !caller.token?.projectIds)
    return []
  // A new project would be outside the projects that the token is limited to.
  if (!before && access.anyoneMayCreate) return [{ refusedIf: raw('true'), refusal: notForNewProjects }]
  const isForeign = isOfOthers(access, caller, row)
  const isMoved = before && sql`${raw(before)}.${column(first)} <> ${row[first]}`
  return [
    {
      refusedIf: isMoved ? sql`${isMoved} and ${isForeign}` : isForeign,
      refusal: () => forbidden('You are not a member of the project.'),
    },
  ]
}

/**
 * Whether a reference names a row that the caller cannot see. The contract answers that with 403, and with
 * 400 when there is no such row; the extensions answer both alike, so that nothing reveals whether the row
 * exists. Undefined where this is not checked.
 */
export function unseenReference(
  { access, edition }: Resource,
  caller: Caller,
  name: string,
  value: unknown,
): Sql | undefined {
  if (edition === 'v1' || caller.isAdministrator || access.kind !== 'projectMembers') return undefined
  return name === access.projectPath[0] ? isOfOthers(access, caller, { [name]: value }) : undefined
}

/** Whether a row belongs to a project of which the caller is not a member. */
const isOfOthers = (access: ProjectMembers, caller: Caller, row: Values): Sql => sql`exists (
  select 1 from ${projectOfRow(access, row)} as touched where not exists (
    select 1 from ${projectsOf(caller, 'active')} as own where own.project_id = touched.project_id
  )
)`

const notForNewProjects = () => forbidden('The token is limited to projects, so it creates none.')

function projectOfRow({ projectPath }: ProjectMembers, row: Values): Sql {
  const id = row[projectPath[0]]
  return projectPath.length === 1
    ? sql`(select ${id}::uuid as project_id)`
    : sql`(select project_id from assignments where id = ${id})`
}
