import { listedRows } from '../access/listed-rows.ts'
import { requireRole } from '../access/require-write.ts'
import { changesThatMatter } from '../access/visible-rows.ts'
import type { Caller } from '../model/caller.ts'
import type { Listed } from '../resources/define-resource.ts'
import { searchColumns } from '../resources/derived.ts'
import { lastChangeSecond } from '../store/change-log.ts'
import type { LimitedReads } from '../store/limited-reads.ts'
import { matchedLiterally } from '../store/matched-literally.ts'
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
  /** When anything the answer depends on changed last, in seconds since 1970; null when the change log no longer has it. */
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
  const rows = rowsOf(listed, caller, query)
  const lastChange = lastChangeSecond(changesThatMatter(listed, caller, state))
  const statement = (query.search ? searchingStatement : listingStatement)(listed, query, rows, lastChange)
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

/** All rows of the list, a part at a time, whatever page the query asks for. */
export function streamList(
  { database }: Tracker,
  listed: Listed,
  caller: Caller,
  query: ListQuery,
): AsyncGenerator<Row[], void> {
  requireRole(listed, caller, purposeOf(query.state))
  return database.exports.stream<Row>(
    sql`select ${shownColumns(listed)} from ${rowsOf(listed, caller, query)} order by ${orderOf(query)}`,
    caller.id,
  )
}

/** Counted apart from the page, because an index may have both at hand. */
const listingStatement: Statement = (listed, query, rows, lastChange) => sql`
  select row.*, total.*
  from (select count(*) as "totalCount", ${lastChange} as "lastChangeSecond" from ${rows}) as total
  left join (
    select ${shownColumns(listed)}, row_number() over (order by ${orderOf(query)}) as "position"
    from ${rows} order by ${orderOf(query)} ${limitOf(query)}
  ) as row on true
  order by row."position"`

/** Long texts are gone through once, for the count and the page together: that is nearly all of a search's work. */
const searchingStatement: Statement = (listed, query, rows, lastChange) => sql`
  with found as materialized (
    select row.id as found_id, row.${column(query.sortColumn)} as sort_value from ${rows}
  )
  select row.*, total.*
  from (select count(*) as "totalCount", ${lastChange} as "lastChangeSecond" from found) as total
  left join (
    select ${shownColumns(listed)}, page."position"
    from (
      select found_id, row_number() over (order by ${foundOrderOf(query)}) as "position"
      from found order by ${foundOrderOf(query)} ${limitOf(query)}
    ) as page
    join ${tableOf(listed)} as row on row.id = page.found_id
  ) as row on true
  order by row."position"`

type Statement = (listed: Listed, query: ListQuery, rows: Sql, lastChange: Sql) => Sql

const limitOf = ({ pageNumber, pageSize }: ListQuery): Sql =>
  sql`limit ${pageSize} offset ${(pageNumber - 1) * pageSize}`

const foundOrderOf = ({ sortOrder }: ListQuery): Sql => sql`sort_value ${raw(sortOrder)}, found_id`

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
    ...dateConditions(listed, query),
  ]
}

/** What is listed, as it stands after `from`. */
function rowsOf(listed: Listed, caller: Caller, query: ListQuery): Sql {
  const rows = sql`${tableOf(listed)} as row where ${allOf(conditionsOf(listed, caller, query))}`
  const match = query.search ? searchCondition(listed, query.search) : undefined
  if (match === undefined) return rows
  // `offset 0` has the store find the visible rows first. It takes looking into a text for as cheap as comparing a number,
  // and would otherwise look into everybody's.
  return hasTrigram(query.search)
    ? sql`${rows} and ${match}`
    : sql`(select * from ${rows} offset 0) as row where ${match}`
}

/** Matched literally. For a resource without text columns a search excludes nothing. */
function searchCondition(listed: Listed, search: string): Sql | undefined {
  const pattern = `%${matchedLiterally(search)}%`
  const matches = searchColumns(listed).map((name) => sql`row.${column(name)} ilike ${pattern}`)
  return matches.length === 0 ? undefined : sql`(${join(matches, ' or ')})`
}

/** The indexes of texts know three letters in a row, and nothing shorter. */
const hasTrigram = (search = ''): boolean => /[\p{L}\p{N}]{3}/u.test(search)

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
