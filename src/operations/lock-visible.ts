import { type Callers, type Memberships, type RowState, visibleRows } from '../access/visible-rows.ts'
import type { Caller } from '../model/caller.ts'
import { missing } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import { shownColumns } from '../store/columns.ts'
import type { Queries } from '../store/database.ts'
import { type LockedRows, lockedRows } from '../store/locked-rows.ts'
import type { Row } from '../store/rows.ts'
import { raw, sql } from '../store/sql.ts'

interface Lock {
  readonly state: RowState
  /** `update` keeps references away, `no key update` lets them pass. */
  readonly strength: 'update' | 'no key update'
  readonly memberships?: Memberships
  readonly callers?: Callers
}

/** Locks all these rows until the transaction ends; one that cannot be seen fails all. */
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

/** Finds and locks those of the rows that can be seen, in the order of their ids. */
export const visibleForLock = (
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
