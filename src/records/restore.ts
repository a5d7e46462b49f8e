import { column, tableOf } from '../db/columns.ts'
import { requireConditions, selectForLock } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import { type Row, restoreRows, type Values } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { runInSavepoint } from '../db/transactions.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import {
  isRemovedWithParent,
  type ReferenceColumn,
  referencesFrom,
  referencesTo,
} from '../resources/derived.ts'
import type { Context } from './context.ts'
import { parseIds } from './list-query.ts'
import { requireProjectRules } from './project-rules.ts'
import { isAccountResource, recordAccountChange, requireRole } from './rights.ts'
import { restorersMemberships } from './visible-rows.ts'
import { lockVisible, referenceConditionsOfAll, requireOwner } from './write-conditions.ts'

/** Restores all rows or none, with the links that their removal took along. */
export async function restore(
  context: Context,
  resource: Resource,
  caller: Caller,
  body: unknown,
): Promise<void> {
  requireRole(resource, caller, 'write')
  const ids = parseIds(body, 'rejected')
  await context.database.transaction((transaction) => restoreWithin(transaction, resource, caller, ids))
  if (isAccountResource(resource)) recordAccountChange(context.securityLog, caller, 'restore', ids)
}

export async function restoreWithin(
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  ids: readonly string[],
): Promise<void> {
  const rows = await lockVisible(transaction, resource, caller, ids, {
    state: 'removed',
    strength: 'update',
    memberships: restorersMemberships,
  })
  requireOwner(resource, caller, rows)
  const references = referenceConditionsOfAll(resource, rows.map(withoutStayingReferences(resource)))
  await requireConditions(transaction, references)
  await restoreRows(
    transaction,
    resource,
    caller,
    sql`id = any(${ids}::uuid[])`,
    isRemovedWithParent(resource),
  )
  if (haveRules(resource)) await requireProjectRules(transaction, resource, ids)
  for (const { child, column: parentId, onRemove } of referencesTo(resource)) {
    if (onRemove === 'cascade') await restoreAlong(transaction, child, parentId, caller, ids)
  }
}

/** Rules about a column include removed rows, so that restoring a row of v1 never breaks them. */
const haveRules = ({ projectRules }: Resource): boolean =>
  projectRules !== undefined && projectRules.onlyWith === undefined

/** A row that stays when a parent is removed can also be restored while that parent is removed. */
const withoutStayingReferences =
  (resource: Resource) =>
  (row: Row): Values => {
    const staying = referencesFrom(resource).filter(({ onRemove }) => onRemove === 'keep')
    return Object.fromEntries(
      Object.entries(row).filter(([name]) => !staying.some(({ column: one }) => one === name)),
    )
  }

/**
 * Restores the rows that were removed along. Rows of an extension never keep a row of v1 from being restored: if they break a rule
 * of their project by now, they stay removed, and can be restored on their own.
 */
async function restoreAlong(
  transaction: Queries,
  child: Resource,
  parentId: string,
  caller: Caller,
  ids: readonly string[],
): Promise<void> {
  // A row may refer to two parents of one table, and was removed with one of them.
  const removedAlong = sql`removed_with = any(${ids}::uuid[]) and removed_with = ${column(parentId)} and not active`
  const other = referencesFrom(child).find(
    (reference) => reference.column !== parentId && reference.onRemove === 'cascade',
  )
  const restoreRemoved = () =>
    other
      ? restoreLinks(transaction, child, other, caller, removedAlong)
      : restoreRows(transaction, child, caller, removedAlong, true)
  if (!haveRules(child)) {
    await restoreRemoved()
    return
  }
  const outcome = await runInSavepoint(transaction, async () =>
    requireProjectRules(transaction, child, idsOf(await restoreRemoved())),
  )
  if ('problem' in outcome)
    await transaction.query(sql`update ${tableOf(child)} set removed_with = null where ${removedAlong}`)
}

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id)

/** A link is only restored if its other parent is active. Otherwise it will be restored together with that parent. */
async function restoreLinks(
  transaction: Queries,
  link: Resource,
  other: ReferenceColumn,
  caller: Caller,
  removedAlong: Sql,
): Promise<Row[]> {
  // Locks the other parents even if they are removed: a concurrent transaction may be restoring one of them.
  const parents = await transaction.query<{ id: string; active: boolean }>(
    selectForLock({
      table: other.parent.table,
      columns: raw('row.id, row.active'),
      where: sql`row.id in (select ${column(other.column)} from ${tableOf(link)} where ${removedAlong})`,
      strength: 'key share',
    }),
  )
  const active = idsOf(parents.filter((parent) => parent.active))
  const restorable = sql`${removedAlong} and ${column(other.column)} = any(${active}::uuid[])`
  const restored = await restoreRows(transaction, link, caller, restorable, true)
  await transaction.query(
    sql`update ${tableOf(link)} set removed_with = ${column(other.column)} where ${removedAlong}`,
  )
  return restored
}
