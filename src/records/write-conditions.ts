import { column, shownColumns } from '../db/columns.ts'
import type { Condition } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import { type LockedRows, lockedRows } from '../db/locked-rows.ts'
import { isOtherVersion, type Row, type Values } from '../db/rows.ts'
import { allOf, raw, type Sql, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { labelOf } from '../model/field.ts'
import { changed, invalid, missing } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import { type ReferenceColumn, referencesFrom } from '../resources/derived.ts'
import { membershipConditions, ownerConditions, unseenReference } from './require-write.ts'
import { type Callers, type Memberships, type RowState, visibleRows } from './visible-rows.ts'

/** The conditions of a new row, in the order in which they are checked. */
export const createConditions = (
  resource: Resource,
  caller: Caller,
  values: Values,
  references: readonly Condition[],
): Condition[] => [
  ...references,
  ...ownerConditions(resource, caller, values),
  ...membershipConditions(resource, caller, values),
]

export const toUpdate = { state: 'active', strength: 'no key update' } as const

interface Updating {
  readonly ids: readonly string[]
  readonly values: Values
  readonly references: readonly Condition[]
  readonly versions: readonly Condition[]
  readonly callers?: Callers
}

/** The conditions of an update, in the order in which they are checked. The stored row is called `before`. */
export function updateConditions(
  resource: Resource,
  caller: Caller,
  { ids, values, references, versions, callers = 'one' }: Updating,
): Condition[] {
  const before = { before: 'before' }
  return [
    {
      locks: { name: 'before', rows: visibleForLock(resource, caller, ids, { ...toUpdate, callers }) },
      refusedIf: sql`before.id is null`,
      refusal: () => missing(resource.title),
    },
    ...references,
    ...ownerConditions(resource, caller, values, before),
    ...membershipConditions(resource, caller, values, before),
    ...versions,
    ...(resource.rules.updateConditions?.(values) ?? []),
  ]
}

interface References {
  /** If set, an unseen row may look like a missing one to this caller. */
  readonly caller?: Caller
  /**
   * The name of the locked row whose references are known to be valid: a reference that does not change is
   * not checked again.
   */
  readonly before?: string
}

/**
 * Every row that is referred to must be active, and stays so until the transaction ends: `for key share`
 * conflicts with the `for update` of a removal, so no child can appear under a parent that is being removed.
 */
export const referenceConditions = (resource: Resource, rows: readonly Values[], references?: References) =>
  conditionsWith(conditionOf, resource, rows, references)

/** The same conditions for each row of `input`, which has its references under the names of the fields. */
export const eachReferenceCondition = (
  resource: Resource,
  rows: readonly Values[],
  references?: References,
) => conditionsWith(eachConditionOf, resource, rows, references)

const conditionsWith = (
  condition: typeof conditionOf,
  resource: Resource,
  rows: readonly Values[],
  { before, caller }: References = {},
): Condition[] =>
  referencesFrom(resource).flatMap((reference) => {
    const ids = distinctIds(rows, reference)
    const isUnseen = (value: unknown) => caller && unseenReference(resource, caller, reference.column, value)
    return ids.length > 0 ? [condition(reference, ids, { before, isUnseen })] : []
  })

interface Asking {
  readonly before: string | undefined
  /** The condition on one value; undefined where this is not checked. */
  isUnseen(value: unknown): Sql | undefined
}

/** True if any of them is; the second one is optional. */
const either = (first: Sql, second: Sql | undefined): Sql => (second ? sql`(${first} or ${second})` : first)

function eachConditionOf(
  { column: name, parent }: ReferenceColumn,
  ids: readonly string[],
  { before, isUnseen }: Asking,
): Condition {
  const wanted = raw(`input."${name}"`)
  const isAsked = before ? [sql`${raw(before)}.${column(name)} <> ${wanted}`] : []
  const isNew =
    before &&
    sql`row.id in (select ${wanted} from input join ${raw(before)} as stored on stored.id = input.id
      where stored.${column(name)} <> ${wanted})`
  return {
    locks: {
      name,
      rows: lockedRows({
        ...locking(parent),
        where: allOf([sql`row.id = any(${ids}::uuid[])`, raw('row.active'), ...(isNew ? [isNew] : [])]),
      }),
    },
    refusedIf: allOf([
      ...isAsked,
      either(sql`${wanted} not in (select id from ${raw(`"${name}"`)})`, isUnseen(wanted)),
    ]),
    refusal: () => notActive(name, parent),
  }
}

const notActive = (name: string, { noun }: Resource) =>
  invalid({ [name]: [`${labelOf(name)} must refer to an active ${noun}.`] })

function conditionOf(
  { column: name, parent }: ReferenceColumn,
  ids: readonly string[],
  { before, isUnseen }: Asking,
): Condition {
  const [id] = ids
  const isAsked = before ? [sql`${raw(before)}.${column(name)} <> ${id}`] : []
  const isOneOfThem = ids.length === 1 ? sql`row.id = ${id}` : sql`row.id = any(${ids}::uuid[])`
  const ifAsked = before ? [sql`(select ${column(name)} <> ${id} from ${raw(before)})`] : []
  const locked = raw(`"${name}"`)
  const isMissing =
    ids.length === 1
      ? sql`not exists (select 1 from ${locked})`
      : sql`(select count(*) from ${locked}) <> ${raw(String(ids.length))}`
  return {
    locks: {
      name,
      rows: lockedRows({ ...locking(parent), where: allOf([isOneOfThem, raw('row.active'), ...ifAsked]) }),
    },
    refusedIf: allOf([...isAsked, either(isMissing, isUnseen(id))]),
    refusal: () => notActive(name, parent),
  }
}

const locking = ({ table }: Resource) => ({ table, columns: raw('row.id'), strength: 'key share' }) as const

const distinctIds = (rows: readonly Values[], { column }: ReferenceColumn): string[] => [
  ...new Set(rows.map((row) => row[column]).filter((id) => typeof id === 'string')),
]

/** Maps ids to the version that a row must still have when it is locked; null if no version would do. */
export type RequiredVersions = ReadonlyMap<string, string | null>

/** Every change gives a row another version. */
export const versionOf = ({ updatedAt, createdAt }: Row): string => String(updatedAt ?? createdAt)

/** Throws when one of these locked rows has another version than required. */
export function requireVersions(resource: Resource, rows: readonly Row[], versions: RequiredVersions): void {
  for (const row of rows) {
    const version = versions.get(row.id)
    if (version !== undefined && version !== versionOf(row)) throw changed(resource.title)
  }
}

/** The same requirement for the one locked row that is called `before`. */
export function versionConditions(resource: Resource, id: string, versions: RequiredVersions): Condition[] {
  const version = versions.get(id)
  if (version === undefined) return []
  const refusedIf = version === null ? raw('true') : isOtherVersion(version)
  return [{ refusedIf, refusal: () => changed(resource.title) }]
}

interface Lock {
  readonly state: RowState
  /** `update` blocks new references to the row, `no key update` allows them. */
  readonly strength: 'update' | 'no key update'
  readonly memberships?: Memberships
  readonly callers?: Callers
}

/** Locks all these rows until the transaction ends; fails if one of them cannot be seen. */
export async function lockVisible(
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  ids: readonly string[],
  lock: Lock,
): Promise<Row[]> {
  const rows = await transaction.query<Row>(
    visibleForLock(resource, caller, ids, lock, shownColumns(resource)),
  )
  if (rows.length < ids.length) throw missing(resource.title)
  return rows
}

/** Finds and locks those rows that the caller can see, in the order of their ids. */
const visibleForLock = (
  resource: Resource,
  caller: Caller,
  ids: readonly string[],
  { state, strength, memberships, callers }: Lock,
  columns = raw('row.*'),
): LockedRows =>
  lockedRows({
    table: resource.table,
    columns,
    where: sql`${ids.length === 1 ? sql`row.id = ${ids[0]}` : sql`row.id = any(${ids}::uuid[])`}
    and ${raw(state === 'active' ? 'row.active' : 'not row.active')} and ${visibleRows(resource, caller, memberships, callers)}`,
    strength,
  })
