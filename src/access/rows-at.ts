import type { Caller } from '../model/caller.ts'
import { resources } from '../resources/all.ts'
import type { Listed } from '../resources/define-resource.ts'
import { tableOf } from '../store/columns.ts'
import { raw, type Sql, sql } from '../store/sql.ts'
import { listedRows } from './listed-rows.ts'
import { rememberedRow } from './remembered-rows.ts'
import { visibleRows } from './visible-rows.ts'

/** Rows called `row`, and what they must fulfil to be shown. */
export interface ShownRows {
  readonly from: Sql
  readonly wanted: Sql
}

/** The active rows that the caller may see, now or as they were at a moment. `which` narrows them down by their ids. */
export const shownRows = (listed: Listed, caller: Caller, at: string | undefined, which?: Sql): ShownRows =>
  at === undefined
    ? {
        from: sql`${tableOf(listed)} as row`,
        wanted: which
          ? sql`row.id = ${which} and ${listedRows(listed, caller, 'active')}`
          : listedRows(listed, caller, 'active'),
      }
    : { from: sql`(${rowsAt(listed, caller, at, which)}) as row`, wanted: raw('row.active') }

/**
 * The table as it was: every change after the moment is taken back, each column by the oldest of them. Access is asked of the
 * rows as they are now. A transaction belongs to the moment of its last write, so that it is taken back as a whole or not at all.
 */
function rowsAt(listed: Listed, caller: Caller, at: string, which: Sql | undefined): Sql {
  const name = resources.find(({ table }) => table === listed.table)?.name ?? listed.name
  const table = tableOf(listed)
  const readable =
    listed.access.kind === 'colleagues' ? visibleRows(listed, caller) : rememberedRow(listed, caller)
  const one = which ? sql`and row.id = ${which}` : raw('')
  return sql`
    with later as materialized (
      select entry.row_id, entry.sequence, entry.action, entry.fields from history as entry
      where entry.resource = ${name} and ${isLater(at)} ${which ? sql`and entry.row_id = ${which}` : raw('')}
    ), past as materialized (
      select row_id, jsonb_object_agg(name, pair -> 0) as fields from (
        select distinct on (row_id, name) row_id, name, pair
        from later cross join lateral jsonb_each(fields) as field (name, pair)
        where action <> 'create' order by row_id, name, sequence
      ) as oldest
      group by row_id
    )
    select row.* from ${table} as row
    where row.id not in (select row_id from later) and ${readable} ${one}
    union all
    select was.* from ${table} as row join past on past.row_id = row.id
      cross join lateral jsonb_populate_record(row.*, past.fields) as was
    where row.id not in (select row_id from later where action = 'create') and ${readable} ${one}`
}

/** Longer than any transaction of ours takes. Transactions that wrote both before and after a moment are searched within it. */
const transactionMinutesMax = 10

/** Whether the transaction of an entry called `entry` wrote anything after the moment. */
export const isLater = (at: string): Sql => sql`(entry.at > ${at}::timestamptz or (
  entry.at > ${at}::timestamptz - interval '${raw(String(transactionMinutesMax))} minutes'
  and entry.transaction is distinct from (select restored_in from history_begin)
  and entry.transaction in (
    select transaction from history
    where at > ${at}::timestamptz and at <= ${at}::timestamptz + interval '${raw(String(transactionMinutesMax))} minutes')))`
