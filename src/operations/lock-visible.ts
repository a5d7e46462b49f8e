import { type Memberships, type RowState, visibleRows } from '../access/visible-rows.ts'
import type { Caller } from '../model/caller.ts'
import { missing } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Queries } from '../store/database.ts'
import { type Row, shownColumns, tableOf } from '../store/rows.ts'
import { raw, sql } from '../store/sql.ts'

interface Lock {
  readonly state: RowState
  /** `update` keeps references away, `no key update` lets them pass. */
  readonly strength: 'update' | 'no key update'
  readonly memberships?: Memberships
}

/** Locks all these rows until the transaction ends, in the order of their ids; one that cannot be seen fails all. */
export async function lockVisible(
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  ids: readonly string[],
  { state, strength, memberships }: Lock,
): Promise<Row[]> {
  const rows = await transaction.query<Row>(sql`
    select ${shownColumns(resource)} from ${tableOf(resource)} as row
    where id = any(${ids}::uuid[]) and ${raw(state === 'active' ? 'active' : 'not active')}
      and ${visibleRows(resource, caller, memberships)}
    order by id for ${raw(strength)} of row`)
  if (rows.length < ids.length) throw missing(resource.title)
  return rows
}
