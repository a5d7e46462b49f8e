import { restorersMemberships } from '../../access/listed-rows.ts'
import { visibleRows } from '../../access/visible-rows.ts'
import type { Caller } from '../../model/caller.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { referencesFrom } from '../../resources/derived.ts'
import type { Queries } from '../../store/database.ts'
import { lockedRows } from '../../store/locked-rows.ts'
import type { Action } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { ReadyItem } from './batch-item.ts'

/** From the weakest to the strongest. */
const strengths = ['key share', 'no key update', 'update'] as const

const strengthOf: Readonly<Record<Action, number>> = { create: 0, update: 1, remove: 2, restore: 2 }

/**
 * Locks what the batch will write or refer to before it does anything, in the one order that everybody keeps: tables of
 * parents before tables of children, rows of a table by their ids. So two batches never wait for each other, whatever the
 * order of their items. All of it travels in one packet.
 */
export async function lockAll(
  transaction: Queries,
  caller: Caller,
  items: readonly ReadyItem[],
): Promise<void> {
  const wanted = new Map(resources.map((resource) => [resource, { ids: new Set<string>(), strength: 0 }]))
  const want = (resource: Resource, ids: readonly unknown[], strength: number) => {
    const known = wanted.get(resource)
    if (!known) return
    for (const id of ids) if (typeof id === 'string') known.ids.add(id)
    known.strength = Math.max(known.strength, strength)
  }
  for (const { resource, operation, ids, values } of items) {
    if (operation !== 'create') want(resource, ids, strengthOf[operation])
    for (const { column, parent } of referencesFrom(resource)) want(parent, [values[column]], 0)
  }
  const locks = [...wanted].filter(([, { ids }]) => ids.size > 0)
  await Promise.all(
    locks.map(([resource, { ids, strength }]) =>
      transaction.query(
        lockedRows({
          table: resource.table,
          columns: raw('row.id'),
          where: sql`row.id = any(${[...ids]}::uuid[]) and ${isLockable(resource, caller, strength)}`,
          strength: strengths[strength] ?? 'update',
        }),
      ),
    ),
  )
}

/** Anybody may refer to a row; only those who see it may keep others from it. */
const isLockable = (resource: Resource, caller: Caller, strength: number) =>
  strength === 0 ? raw('row.active') : visibleRows(resource, caller, restorersMemberships)
