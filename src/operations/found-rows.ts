import type { ShownRows } from '../access/rows-at.ts'
import type { Listed } from '../resources/define-resource.ts'
import { column, tableOf } from '../store/columns.ts'
import { allOf, join, raw, type Sql, sql } from '../store/sql.ts'

/** What rows must fulfil, by how it is found out. */
export interface Conditions {
  /** Ids, numbers and dates, which are compared at once, and texts that an index knows. */
  readonly quick: readonly Sql[]
  /** Whatever has to look into the text of each row. */
  readonly texts: readonly Sql[]
}

/**
 * The rows that fulfil all of it, as they stand after `from`. `offset 0` has the store find the visible rows first: it takes
 * looking into a text for as cheap as comparing a number, and would otherwise look into everybody's.
 */
export function foundRows({ from, wanted }: ShownRows, { quick, texts }: Conditions): Sql {
  const rows = sql`${from} where ${allOf([wanted, ...quick])}`
  return texts.length === 0 ? rows : sql`(select * from ${rows} offset 0) as row where ${allOf(texts)}`
}

/** The indexes of texts know three letters in a row, and nothing shorter. */
export const hasTrigram = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text)

/** Long texts are gone through once, for count and page together: that is nearly all of the work. Stands after `with`. */
export const foundOnce = (rows: Sql, sortColumns: readonly string[]): Sql => {
  const names = [...new Set(['id', ...sortColumns])]
  return sql`found as materialized (select ${join(
    names.map((name) => sql`row.${column(name)}`),
    ', ',
  )} from ${rows})`
}

/** Which of them a page has, in which order. */
export interface PageCut {
  readonly behind?: Sql
  readonly order: Sql
  readonly limit: Sql
}

/** The columns `selected` of a page of what was found once, and its place in the order as "position". */
export const pageOfFound = (listed: Listed, selected: Sql, { behind, order, limit }: PageCut): Sql => sql`
  select ${selected}, cut."position"
  from (
    select row.id, row_number() over (order by ${order}) as "position"
    from found as row where ${behind ?? raw('true')} order by ${order} ${limit}
  ) as cut
  join ${tableOf(listed)} as row on row.id = cut.id`
