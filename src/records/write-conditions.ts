import { column, selectColumns, tableOf } from '../db/columns.ts'
import { beforeCte, type Condition, type LockedRows, selectForLock } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import { isOtherVersion, type Row, type Values } from '../db/rows.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'
import type { ProjectMembers } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { capitalize } from '../model/field.ts'
import { changed, forbidden, invalid, notFound } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import { referencesFrom } from '../resources/derived.ts'
import { leavesProjectConditions } from './project-rules.ts'
import type { CallerInSql } from './rights.ts'
import { type Memberships, projectsOf, type RowState, visibleRows } from './visible-rows.ts'

/** Returns the conditions of a new row, in the order in which they are checked. */
export const createConditions = (
  resource: Resource,
  caller: CallerInSql,
  values: Values,
  references: readonly Condition[],
): Condition[] => [
  ...references,
  ...ownerConditions(resource, caller, values),
  ...membershipConditions(resource, caller, values),
  ...formerValueConditions(resource, values),
]

export const updateLock = { state: 'active', strength: 'no key update' } as const

interface UpdateConditionOptions {
  readonly ids: readonly string[]
  readonly values: Values
  readonly references: readonly Condition[]
  readonly versions: readonly Condition[]
  /** True if the links between two projects were removed. */
  readonly canLeaveProject?: boolean
}

/**
 * Returns the conditions of an update, in the order in which they are checked. The stored row is called
 * `before`.
 */
export function updateConditions(
  resource: Resource,
  caller: CallerInSql,
  { ids, values, references, versions, canLeaveProject = false }: UpdateConditionOptions,
): Condition[] {
  const stored = { before: beforeCte }
  return [
    {
      locks: { name: beforeCte, rows: visibleForLock(resource, caller, ids, updateLock) },
      rejectIf: sql`before.id is null`,
      problem: () => notFound(resource.title),
    },
    ...references,
    ...ownerConditions(resource, caller, values, stored),
    ...membershipConditions(resource, caller, values, stored),
    ...versions,
    ...formerValueConditions(resource, values, sql`before.id`),
    ...(resource.hooks.updateConditions?.(values) ?? []),
    ...(canLeaveProject ? [] : leavesProjectConditions(resource, values)),
  ]
}

function formerValueConditions({ unique }: Resource, values: Values, owner?: Sql): Condition[] {
  const { former, problem } = unique ?? {}
  const value = former && values[former.field]
  return former && problem && value !== undefined ? [{ rejectIf: former.isTaken(value, owner), problem }] : []
}

interface ReferenceOptions {
  /** If set, references to rows that this caller cannot see are rejected like references to missing rows. */
  readonly caller?: CallerInSql
  /** The name of the locked row. Its references are valid, so an unchanged reference is not checked again. */
  readonly before?: string
}

/**
 * Returns conditions under which every referenced row is active and stays active until the commit. A removal
 * locks the row with `for update`, which conflicts with `for key share`.
 */
export function referenceConditions(
  resource: Resource,
  values: Values,
  options: ReferenceOptions = {},
): Condition[] {
  const { before } = options
  const conditions: Condition[] = []
  for (const { column: name, parent } of referencesFrom(resource)) {
    const id = values[name]
    if (typeof id !== 'string') continue
    const where = before
      ? sql`row.id = ${id} and (select ${column(name)} is distinct from ${id} from ${raw(before)})`
      : sql`row.id = ${id}`
    const isMissing = sql`not exists (select 1 from ${raw(`"${name}"`)})`
    conditions.push(referenceCondition(resource, { name, parent, value: id, where, isMissing }, options))
  }
  return conditions
}

/**
 * Returns the same conditions for several rows together. They have no options, because those differ between
 * rows.
 */
export function referenceConditionsOfAll(resource: Resource, rows: readonly Values[]): Condition[] {
  const conditions: Condition[] = []
  for (const { column: name, parent } of referencesFrom(resource)) {
    const ids = distinctIds(rows, name)
    if (ids.length === 0) continue
    const where = sql`row.id = any(${ids}::uuid[])`
    const isMissing = sql`(select count(*) from ${raw(`"${name}"`)}) <> ${ids.length}::int`
    conditions.push(referenceCondition(resource, { name, parent, value: raw('null'), where, isMissing }, {}))
  }
  return conditions
}

/** Returns the same conditions for each row of the CTE `input`. Its columns have the names of the fields. */
export function referenceConditionsPerInputRow(
  resource: Resource,
  rows: readonly Values[],
  options: ReferenceOptions = {},
): Condition[] {
  const { before } = options
  const conditions: Condition[] = []
  for (const { column: name, parent } of referencesFrom(resource)) {
    const ids = distinctIds(rows, name)
    if (ids.length === 0) continue
    const value = raw(`input."${name}"`)
    const parents = sql`row.id = any(${ids}::uuid[])`
    const where = before
      ? sql`${parents} and row.id in (select ${value} from input join ${raw(before)} as stored on stored.id = input.id
          where stored.${column(name)} is distinct from ${value})`
      : parents
    const isMissing = sql`${value} not in (select id from ${raw(`"${name}"`)})`
    conditions.push(referenceCondition(resource, { name, parent, value, where, isMissing }, options))
  }
  return conditions
}

interface ReferenceCheck {
  readonly name: string
  readonly parent: Resource
  /** An id, or SQL that returns the id. */
  readonly value: string | Sql
  /** The condition that finds the parents to lock. */
  readonly where: Sql
  /** SQL: true if a parent is missing. */
  readonly isMissing: Sql
}

function referenceCondition(
  resource: Resource,
  { name, parent, value, where, isMissing }: ReferenceCheck,
  { before, caller }: ReferenceOptions,
): Condition {
  const unseen = caller && unseenReference(resource, caller, { name, parent, value })
  const isRejected = unseen ? sql`(${isMissing} or ${unseen})` : isMissing
  const rows = selectForLock({
    table: parent.table,
    columns: raw('row.id'),
    where: sql`${where} and row.active`,
    strength: 'key share',
  })
  return {
    locks: { name, rows },
    rejectIf: before
      ? sql`${raw(before)}.${column(name)} is distinct from ${value} and ${isRejected}`
      : isRejected,
    problem: () => notActive(name, parent),
  }
}

const notActive = (name: string, { noun }: Resource) =>
  invalid({ [name]: [`${capitalize(name)} must refer to an active ${noun}.`] })

function distinctIds(rows: readonly Values[], name: string): string[] {
  const ids = new Set<string>()
  for (const { [name]: id } of rows) if (typeof id === 'string') ids.add(id)
  return [...ids]
}

/** Maps ids to the version that the locked row must have. Null matches no version. */
export type RequiredVersions = ReadonlyMap<string, string | null>

/** Returns the version of a row. Every change results in a new version. */
export const versionOf = ({ updatedAt, createdAt }: Row): string => String(updatedAt ?? createdAt)

/** Throws if a locked row does not have the required version. */
export function requireVersions(resource: Resource, rows: readonly Row[], versions: RequiredVersions): void {
  for (const row of rows) {
    const version = versions.get(row.id)
    if (version !== undefined && version !== versionOf(row)) throw changed(resource.title)
  }
}

/** Returns the same requirement as a condition on the locked row `before`. */
export function versionConditions(resource: Resource, id: string, versions: RequiredVersions): Condition[] {
  const version = versions.get(id)
  if (version === undefined) return []
  const rejectIf = version === null ? raw('true') : isOtherVersion(version)
  return [{ rejectIf, problem: () => changed(resource.title) }]
}

interface VisibleLockOptions {
  readonly state: RowState
  /** `update` prevents new references to the row, and `no key update` allows them. */
  readonly strength: 'update' | 'no key update'
  readonly memberships?: Memberships
}

/** Locks rows with distinct ids until the commit. Throws if the caller cannot see a row. */
export async function lockVisible(
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  ids: readonly string[],
  lock: VisibleLockOptions,
): Promise<Row[]> {
  const rows = await transaction.query<Row>(
    visibleForLock(resource, caller, ids, lock, selectColumns(resource)),
  )
  if (rows.length < ids.length) throw notFound(resource.title)
  return rows
}

/** Finds and locks the rows that the caller can see, in the order of their ids. */
const visibleForLock = (
  resource: Resource,
  caller: CallerInSql,
  ids: readonly string[],
  { state, strength, memberships }: VisibleLockOptions,
  columns = raw('row.*'),
): LockedRows =>
  selectForLock({
    table: resource.table,
    columns,
    where: sql`${ids.length === 1 ? sql`row.id = ${ids[0]}` : sql`row.id = any(${ids}::uuid[])`}
    and ${raw(state === 'active' ? 'row.active' : 'not row.active')} and ${visibleRows(resource, caller, memberships)}`,
    strength,
  })

/** Throws if a row to be removed or restored belongs to another user. */
export function requireOwner(resource: Resource, caller: Caller, rows: readonly Values[]) {
  const owner = caller.isAdministrator ? undefined : resource.access.ownerColumn
  if (owner && rows.some((row) => row[owner] !== caller.id)) throw notOwner(resource)
}

/**
 * Returns conditions under which the new row belongs to the caller. On an update, the stored row must also
 * belong to the caller.
 */
function ownerConditions(
  resource: Resource,
  caller: CallerInSql,
  row: Values,
  { before }: { readonly before?: string } = {},
): Condition[] {
  const owner = caller.isAdministrator ? undefined : resource.access.ownerColumn
  if (!owner) return []
  const rejectIf = [
    ...(owner in row ? [sql`${row[owner]}::uuid <> ${caller.id}::uuid`] : []),
    ...(before ? [sql`${raw(before)}.${column(owner)} <> ${caller.id}`] : []),
  ]
  return [{ rejectIf: join(rejectIf, ' or '), problem: () => notOwner(resource) }]
}

const notOwner = ({ pluralNoun }: Resource) =>
  forbidden(`You may only record and change your own ${pluralNoun}.`)

/**
 * Returns conditions under which the caller is a member of the project to which a row is added or moved. An
 * update within the project needs no check, because only members see the row.
 */
function membershipConditions(
  { access }: Resource,
  caller: CallerInSql,
  row: Values,
  { before }: { readonly before?: string } = {},
): Condition[] {
  if (caller.isAdministrator || access.kind !== 'projectMembers') return []
  const [first] = access.projectPath
  // An update without this column moves nothing. Anyone may create a project, except with a token that is
  // limited to projects.
  if (before ? first === 'id' || !(first in row) : access.anyoneMayCreate && !caller.token?.projectIds)
    return []
  // The token does not cover a new project.
  if (!before && access.anyoneMayCreate) return [{ rejectIf: raw('true'), problem: notForNewProjects }]
  const isForeign = isInForeignProject(projectOfRow(access, row), caller)
  const isMoved = before && sql`${raw(before)}.${column(first)} <> ${row[first]}`
  return [
    {
      rejectIf: isMoved ? sql`${isMoved} and ${isForeign}` : isForeign,
      problem: () => forbidden('You are not a member of the project.'),
    },
  ]
}

/**
 * Returns the condition under which a reference leads to a row that the caller cannot see. The extensions
 * report such a row as missing. Returns undefined in v1, where the contract has 403 instead.
 */
function unseenReference(
  { access, edition, fields, projectRules }: Resource,
  caller: CallerInSql,
  { name, parent, value }: Pick<ReferenceCheck, 'name' | 'parent' | 'value'>,
): Sql | undefined {
  const isContract = edition === 'v1' && !fields[name]?.isExtension
  if (isContract || caller.isAdministrator || access.kind !== 'projectMembers') return undefined
  if (name === access.projectPath[0])
    return isInForeignProject(projectOfRow(access, { [name]: value }), caller)
  return projectRules?.sameProject?.includes(name)
    ? isInForeignProject(sql`(select project_id from ${tableOf(parent)} where id = ${value})`, caller)
    : undefined
}

/** Returns the condition under which the caller is not a member of the project of a row. */
const isInForeignProject = (project: Sql, caller: CallerInSql): Sql => sql`exists (
  select 1 from ${project} as touched where not exists (
    select 1 from ${projectsOf(caller, 'active')} as own where own.project_id = touched.project_id
  )
)`

const notForNewProjects = () =>
  forbidden('The token is limited to certain projects, so it cannot create new ones.')

function projectOfRow({ projectPath }: ProjectMembers, row: Values): Sql {
  const id = row[projectPath[0]]
  return projectPath.length === 1
    ? sql`(select ${id}::uuid as project_id)`
    : sql`(select project_id from assignments where id = ${id})`
}
