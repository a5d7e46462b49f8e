import { column, tableOf } from '../db/columns.ts'
import { requireConditions, selectForLock } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import { type Row, restoreRows, type Values } from '../db/rows.ts'
import { raw, sql } from '../db/sql.ts'
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
import { recordAccountChange } from './record-account-change.ts'
import { isAccountResource, requireRole } from './rights.ts'
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
  for (const { child, column: parentId, whenRemoved } of referencesTo(resource)) {
    if (whenRemoved === 'removeAlong') await restoreAlong(transaction, child, parentId, caller, ids)
  }
}

/** A row that stays when a parent is removed can also be restored while that parent is removed. */
const withoutStayingReferences =
  (resource: Resource) =>
  (row: Row): Values => {
    const staying = referencesFrom(resource).filter(({ whenRemoved }) => whenRemoved === 'stay')
    return Object.fromEntries(
      Object.entries(row).filter(([name]) => !staying.some(({ column: one }) => one === name)),
    )
  }

/**
 * Restores the rows that were removed along. A link is only restored if its other parent is active. Otherwise
 * the link will be restored together with that parent.
 */
async function restoreAlong(
  transaction: Queries,
  child: Resource,
  parentId: string,
  caller: Caller,
  ids: readonly string[],
) {
  const removedAlong = sql`removed_with = any(${ids}::uuid[]) and not active`
  const other = referencesFrom(child).find(
    (reference) => reference.column !== parentId && reference.whenRemoved === 'removeAlong',
  )
  if (other) await restoreLinks(transaction, child, other, caller, ids)
  else await restoreRows(transaction, child, caller, removedAlong, true)
}

async function restoreLinks(
  transaction: Queries,
  link: Resource,
  other: ReferenceColumn,
  caller: Caller,
  ids: readonly string[],
) {
  const removedAlong = sql`removed_with = any(${ids}::uuid[]) and not link.active`
  // Locks the other parents even if they are removed: a concurrent transaction may be restoring one of them.
  await transaction.query(
    selectForLock({
      table: other.parent.table,
      columns: raw('row.id'),
      where: sql`row.id in (select ${column(other.column)} from ${tableOf(link)} as link where ${removedAlong})`,
      strength: 'key share',
    }),
  )
  const restorable = sql`id in (
    select link.id from ${tableOf(link)} as link join ${tableOf(other.parent)} as parent on parent.id = link.${column(other.column)}
    where ${removedAlong} and parent.active
  )`
  await restoreRows(transaction, link, caller, restorable, true)
  await transaction.query(
    sql`update ${tableOf(link)} as link set removed_with = ${column(other.column)} where ${removedAlong}`,
  )
}
