import { column, tableOf } from '../db/columns.ts'
import type { Queries } from '../db/database.ts'
import { removeRows } from '../db/rows.ts'
import { join, raw, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { inUse } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import { referencesTo } from '../resources/derived.ts'
import type { Context } from './context.ts'
import { parseIds } from './list-query.ts'
import { isAccountResource, recordAccountChange, requireAccess, requireAccessToRemove } from './rights.ts'
import { lockVisible, type RequiredVersions, requireOwner, requireVersions } from './write-conditions.ts'

/** Removes all rows or none. The removal cascades to their links, which record the row that removed them. */
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
