import { ownerColumnOf } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import type { Listed } from '../resources/define-resource.ts'
import { goesAlong } from '../resources/derived.ts'
import { column } from '../store/columns.ts'
import { allOf, raw, type Sql, sql } from '../store/sql.ts'
import { type Memberships, type RowState, visibleRows } from './visible-rows.ts'

/** The condition a row called `row` must meet to be listed: active and visible, or removed and the caller's to restore. */
export const listedRows = (listed: Listed, caller: Caller, state: RowState): Sql =>
  state === 'active'
    ? sql`row.active and ${visibleRows(listed, caller)}`
    : sql`not row.active and ${restorableRows(listed, caller)}`

/** A member whose membership was removed together with the project may bring both back. */
export const restorersMemberships: Memberships = 'activeOrRemovedWithProject'

/** What restoring asks of the caller. Whether the row's parents are there is not asked: they may be restored before it. */
function restorableRows(listed: Listed, caller: Caller): Sql {
  const { access } = listed
  const ownerColumn = ownerColumnOf(access)
  return allOf([
    visibleRows(listed, caller, restorersMemberships),
    ...(ownerColumn && !caller.isAdministrator ? [sql`row.${column(ownerColumn)} = ${caller.id}`] : []),
    // A link that went along with a parent comes back with it, and cannot before.
    ...(goesAlong(listed) ? [raw('row.removed_with is null')] : []),
  ])
}
