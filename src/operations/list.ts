import { listedRows } from '../access/listed-rows.ts'
import { requireRole } from '../access/require-write.ts'
import { changesThatMatter } from '../access/visible-rows.ts'
import type { Caller } from '../model/caller.ts'
import type { Listed } from '../resources/define-resource.ts'
import { searchColumns } from '../resources/derived.ts'
import { lastChangeSecond } from '../store/change-log.ts'
import type { LimitedReads } from '../store/limited-reads.ts'
import { column, type Row, shownColumns, tableOf } from '../store/rows.ts'
import { allOf, join, raw, type Sql, sql } from '../store/sql.ts'
import { type ListQuery, purposeOf } from './read-list-query.ts'
import { refuseTooSlow, type Slowness } from './refuse-too-slow.ts'
import type { Tracker } from './tracker.ts'

export interface Page {
  readonly rows: readonly Row[]
  readonly totalCount: number
  readonly pageNumber: number
  readonly pageSize: number
  readonly totalPages: number
  /** When anything the answer depends on changed last, in seconds since 1970; null when nobody remembers. */
  readonly lastChangeSecond: number | null
}

/** One statement, so that rows, count and last change come from one snapshot. */
export async function list(
  { database }: Tracker,
  listed: Listed,
  caller: Caller,
  query: ListQuery,
  reads: Pick<LimitedReads, 'query'> = database.lists,
): Promise<Page> {
  const { state, pageNumber, pageSize } = query
  requireRole(listed, caller, purposeOf(state))
  const from = sql`${tableOf(listed)} as row where ${allOf(conditionsOf(listed, caller, query))}`
  const lastChange = lastChangeSecond(changesThatMatter(listed, caller, state))
  const order = orderOf(query)
  const statement = sql`
    select row.*, total.*
    from (
      select count(*) as "totalCount", ${lastChange} as "lastChangeSecond" from ${from}
    ) as total
    left join (
      select ${shownColumns(listed)}, row_number() over (order by ${order}) as "position"
      from ${from} order by ${order} limit ${pageSize} offset ${(pageNumber - 1) * pageSize}
    ) as row on true
    order by row."position"`
  const found = await refuseTooSlow(slowness(listed, query), () =>
    reads.query<Row & Total>(statement, caller.id),
  )
  const { totalCount, lastChangeSecond: second } = found[0] as Row & Total
  return {
    rows: found.filter(({ id }) => id !== null),
    totalCount,
    pageNumber,
    pageSize,
    totalPages: Math.ceil(totalCount / pageSize),
    lastChangeSecond: second,
  }
}

/** All rows of the list, a part at a time; the page that the query asks for plays no part. */
export function streamList(
  { database }: Tracker,
  listed: Listed,
  caller: Caller,
  query: ListQuery,
): AsyncGenerator<Row[], void> {
  requireRole(listed, caller, purposeOf(query.state))
  return database.exports.stream<Row>(
    sql`select ${shownColumns(listed)} from ${tableOf(listed)} as row
      where ${allOf(conditionsOf(listed, caller, query))} order by ${orderOf(query)}`,
    caller.id,
  )
}

export function slowness({ pluralNoun }: Listed, { search }: ListQuery): Slowness {
  return search
    ? { what: `The search in ${pluralNoun}`, advice: searchAdvice, key: 'search' }
    : { what: `The list of ${pluralNoun}`, advice: 'Narrow it with filters.' }
}

const searchAdvice = 'Search for a longer or rarer text, or narrow it with filters.'

interface Total {
  readonly totalCount: number
  readonly lastChangeSecond: number | null
}

function conditionsOf(listed: Listed, caller: Caller, query: ListQuery): Sql[] {
  return [
    listedRows(listed, caller, query.state),
    ...(query.ids ? [sql`row.id = any(${query.ids}::uuid[])`] : []),
    ...Object.entries(query.relations).map(([name, id]) => sql`row.${column(name)} = ${id}`),
    ...(query.search ? searchConditions(listed, query.search) : []),
    ...dateConditions(listed, query),
  ]
}

/** Matched literally. A resource without text to search matches nothing away. */
function searchConditions(listed: Listed, search: string): Sql[] {
  const pattern = `%${search.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`)}%`
  const matches = searchColumns(listed).map((name) => sql`row.${column(name)} ilike ${pattern}`)
  return matches.length === 0 ? [] : [sql`(${join(matches, ' or ')})`]
}

/** A moment lies in [from, to); a period overlaps it. */
function dateConditions({ filters }: Listed, { dateFrom, dateTo }: ListQuery): Sql[] {
  return filters.flatMap((filter) => {
    if (typeof filter === 'string') return []
    const [start, end] = 'moment' in filter ? [filter.moment, filter.moment] : filter.period
    return [
      ...(dateFrom ? [sql`row.${column(end)} >= ${dateFrom}`] : []),
      ...(dateTo ? [sql`row.${column(start)} < ${dateTo}`] : []),
    ]
  })
}

/** Ties break on the id, so that pages never overlap. */
function orderOf({ sortColumn, sortOrder }: ListQuery): Sql {
  const direction = raw(sortOrder)
  return sortColumn === 'id' ? sql`row.id ${direction}` : sql`row.${column(sortColumn)} ${direction}, row.id`
}
