import { unseenReference } from '../access/require-write.ts'
import type { Caller } from '../model/caller.ts'
import { labelOf } from '../model/field.ts'
import { invalid } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import { type ReferenceColumn, referencesFrom } from '../resources/derived.ts'
import { column } from '../store/columns.ts'
import type { Condition } from '../store/conditional-write.ts'
import { lockedRows } from '../store/locked-rows.ts'
import type { Values } from '../store/rows.ts'
import { allOf, raw, type Sql, sql } from '../store/sql.ts'

interface References {
  /** To whom an unseen row may look like a missing one. */
  readonly caller?: Caller
  /** The name of the locked row whose references are known to hold: one that stays the same is not asked again. */
  readonly before?: string
}

/**
 * Every row that is referred to must be active, and stays so until the transaction ends: `for key share` conflicts with
 * the `for update` of a removal, so no child can appear under a parent that is being removed.
 */
export const referenceConditions = (resource: Resource, rows: readonly Values[], references?: References) =>
  conditionsWith(conditionOf, resource, rows, references)

/** The same of each row of `input`, which has its references under the names of the fields. */
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
  /** Of one value; nothing where it is not asked. */
  isUnseen(value: unknown): Sql | undefined
}

/** Any of them; the second one is not always asked. */
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
