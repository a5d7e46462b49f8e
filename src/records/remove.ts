import { column, tableOf } from '../db/columns.ts'
import { requireConditions, selectForLock } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import { type Row, removeRows, restoreRows, type Values } from '../db/rows.ts'
import { join, raw, type Sql, sql } from '../db/sql.ts'
import { runInSavepoint } from '../db/transactions.ts'
import type { Caller } from '../model/caller.ts'
import { inUse } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import { hasCascadeParent, type ReferenceColumn, referencesFrom, referencesTo } from '../resources/derived.ts'
import type { Context } from './context.ts'
import { parseIds } from './list-query.ts'
import { requireProjectRules } from './project-rules.ts'
import { isAccountResource, recordAccountChange, requireAccess, requireAccessToRemove } from './rights.ts'
import { restorersMemberships } from './visible-rows.ts'
import {
  lockVisible,
  type RequiredVersions,
  referenceConditionsOfAll,
  requireOwner,
  requireVersions,
} from './write-conditions.ts'

/** Removes all rows or none. Their links are removed with them, and record which row removed them. */
export async function remove(
  context: Context,
  resource: Resource,
  caller: Caller,
  body: unknown,
  versions: RequiredVersions = new Map(),
): Promise<void> {
  requireAccess(resource, caller, 'write')
  const ids = parseIds(body, { duplicates: 'ignored' })
  await context.database.transaction((transaction) =>
    removeWithin(context, transaction, resource, caller, { ids, versions }),
  )
  if (isAccountResource(resource)) recordAccountChange(context.securityLog, caller, 'remove', ids)
}

export async function removeWithin(
  context: Context,
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  { ids, versions }: { readonly ids: readonly string[]; readonly versions: RequiredVersions },
): Promise<void> {
  const rows = await lockVisible(transaction, resource, caller, ids, { state: 'active', strength: 'update' })
  await requireAccessToRemove(transaction, context, resource, caller)
  requireOwner(resource, caller, rows)
  requireVersions(resource, rows, versions)
  await requireNoDependents(transaction, resource, ids)
  for (const { child, column: parentId, onRemove } of referencesTo(resource)) {
    if (onRemove !== 'cascade') continue
    const links = sql`${column(parentId)} = any(${ids}::uuid[]) and active`
    await removeRows(transaction, child, caller, links, column(parentId))
  }
  await removeRows(transaction, resource, caller, sql`id = any(${ids}::uuid[])`)
  await resource.hooks.afterRemove?.(transaction, ids)
}

async function requireNoDependents(transaction: Queries, resource: Resource, ids: readonly string[]) {
  const blocking = referencesTo(resource).filter(({ onRemove }) => onRemove === 'restrict')
  if (blocking.length === 0) return
  const found = blocking.map(
    ({ child, column: parentId }) => sql`exists (
      select 1 from ${tableOf(child)} where ${column(parentId)} = any(${ids}::uuid[]) and active
    ) as ${raw(`"${child.plural}"`)}`,
  )
  const [dependents] = await transaction.query<Record<string, boolean>>(sql`select ${join(found, ', ')}`)
  const kinds = blocking
    .filter(({ child }) => dependents?.[child.plural])
    .map(({ child }) => child.pluralNoun)
  if (kinds.length > 0) throw inUse(resource.title, kinds.join(' and '))
}

/** Restores all rows or none, together with the links that the same cascade removed. */
export async function restore(
  context: Context,
  resource: Resource,
  caller: Caller,
  body: unknown,
): Promise<void> {
  requireAccess(resource, caller, 'write')
  const ids = parseIds(body, { duplicates: 'rejected' })
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
  const references = referenceConditionsOfAll(resource, rows.map(withoutKeptReferences(resource)))
  await requireConditions(transaction, references)
  await restoreRows(transaction, resource, caller, sql`id = any(${ids}::uuid[])`, {
    hasCascadeParent: hasCascadeParent(resource),
  })
  if (checksRulesOnRestore(resource)) await requireProjectRules(transaction, resource, ids)
  for (const { child, column: parentId, onRemove } of referencesTo(resource)) {
    if (onRemove === 'cascade') await restoreCascaded(transaction, child, parentId, caller, ids)
  }
}

/**
 * Returns whether a restore checks the rules of the project. Rules with `onlyWith` concern a field of
 * extensions, and must not reject a restore that v1 allows. Such a restore can exceed `rowsMax`, and the next
 * write of the column is then rejected.
 */
const checksRulesOnRestore = ({ projectRules }: Resource): boolean =>
  projectRules !== undefined && projectRules.onlyWith === undefined

/** A reference with `keep` may name a removed row, so a restore does not require its parent to be active. */
const withoutKeptReferences =
  (resource: Resource) =>
  (row: Row): Values => {
    const kept = referencesFrom(resource).filter(({ onRemove }) => onRemove === 'keep')
    const keptNames = kept.map((reference) => reference.column)
    return Object.fromEntries(Object.entries(row).filter(([name]) => !keptNames.includes(name)))
  }

/**
 * Restores the rows that the removal of these parents removed. If rows of an extension would now break a rule
 * of their project, they stay removed and can be restored on their own, so that an extension never prevents
 * the restore of a row of v1.
 */
async function restoreCascaded(
  transaction: Queries,
  child: Resource,
  parentId: string,
  caller: Caller,
  ids: readonly string[],
): Promise<void> {
  // The row may refer to two parents in one table. It is restored with the parent whose removal removed it.
  const removedByCascade = sql`removed_with = any(${ids}::uuid[]) and removed_with = ${column(parentId)} and not active`
  const other = referencesFrom(child).find(
    (reference) => reference.column !== parentId && reference.onRemove === 'cascade',
  )
  const restoreRemoved = () =>
    other
      ? restoreLinks(transaction, child, other, caller, removedByCascade)
      : restoreRows(transaction, child, caller, removedByCascade, { hasCascadeParent: true })
  if (!checksRulesOnRestore(child)) {
    await restoreRemoved()
    return
  }
  const outcome = await runInSavepoint(transaction, async () =>
    requireProjectRules(transaction, child, idsOf(await restoreRemoved())),
  )
  if ('problem' in outcome)
    await transaction.query(sql`update ${tableOf(child)} set removed_with = null where ${removedByCascade}`)
}

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id)

/** Restores the links whose other parent is active. The others are restored with their other parent. */
async function restoreLinks(
  transaction: Queries,
  link: Resource,
  other: ReferenceColumn,
  caller: Caller,
  removedByCascade: Sql,
): Promise<Row[]> {
  // Locks the other parents even if they are removed, because a concurrent transaction may be restoring them.
  const parents = await transaction.query<{ id: string; active: boolean }>(
    selectForLock({
      table: other.parent.table,
      columns: raw('row.id, row.active'),
      where: sql`row.id in (select ${column(other.column)} from ${tableOf(link)} where ${removedByCascade})`,
      strength: 'key share',
    }),
  )
  const active = idsOf(parents.filter((parent) => parent.active))
  const restorable = sql`${removedByCascade} and ${column(other.column)} = any(${active}::uuid[])`
  const restored = await restoreRows(transaction, link, caller, restorable, { hasCascadeParent: true })
  await transaction.query(
    sql`update ${tableOf(link)} set removed_with = ${column(other.column)} where ${removedByCascade}`,
  )
  return restored
}
