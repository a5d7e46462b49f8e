import { labelOf } from '../model/field.ts'
import { collectViolations } from '../model/violations.ts'
import type { Resource } from '../resources/define-resource.ts'
import { type ReferenceColumn, referencesFrom } from '../resources/derived.ts'
import type { Queries } from '../store/database.ts'
import { tableOf, type Values } from '../store/rows.ts'
import { join, raw, sql } from '../store/sql.ts'

/**
 * Requires every referenced row to be active, and keeps it so until the transaction ends: `for key share` conflicts with
 * the `for update` of a removal, so no child can appear under a parent that is being removed.
 */
export async function requireActiveReferences(
  transaction: Queries,
  resource: Resource,
  rows: readonly Values[],
) {
  const wanted = referencesFrom(resource)
    .map((reference) => ({ ...reference, ids: distinctIds(rows, reference) }))
    .filter(({ ids }) => ids.length > 0)
  if (wanted.length === 0) return
  const locks = wanted.map(
    ({ column, parent, ids }) =>
      sql`${raw(`"${column}"`)} as (
        select id from ${tableOf(parent)} where id = any(${ids}::uuid[]) and active order by id for key share
      )`,
  )
  const counts = wanted.map(({ column }) => raw(`(select count(*) from "${column}") as "${column}"`))
  const [found] = await transaction.query<Record<string, number>>(
    sql`with ${join(locks, ', ')} select ${join(counts, ', ')}`,
  )
  const violations = collectViolations()
  for (const { column, parent, ids } of wanted) {
    if (found?.[column] !== ids.length)
      violations.add(column, `${labelOf(column)} must refer to an active ${parent.noun}.`)
  }
  violations.refuseIfAny()
}

const distinctIds = (rows: readonly Values[], { column }: ReferenceColumn): string[] => [
  ...new Set(rows.map((row) => row[column]).filter((id) => typeof id === 'string')),
]
