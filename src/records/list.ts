import { lastChangeSecond } from '../db/change-log.ts'
import { column, shownColumns, tableOf } from '../db/columns.ts'
import type { LimitedReads } from '../db/limited-reads.ts'
import { pageOfList } from '../db/named-statements.ts'
import type { Row } from '../db/rows.ts'
import { allOf, join, matchedLiterally, raw, type Sql, sql } from '../db/sql.ts'
import type { Streamed } from '../db/streamed-reads.ts'
import type { Caller } from '../model/caller.ts'
import type { Listed } from '../resources/define-resource.ts'
import { searchColumns } from '../resources/derived.ts'
import type { Tracker } from './context.ts'
import { type ListQuery, purposeOf } from './list-query.ts'
import { requireRole } from './require-write.ts'
import { arrayOf, recordText } from './serialize-record.ts'
import { refuseTooSlow, type Slowness } from './settled-timestamp.ts'
import { changesThatMatter, listedRows, type ShownRows } from './visible-rows.ts'

export interface Page {
  /** As JSON: an array of what every host shows of each row. */
  readonly records: string
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
  reads: LimitedReads = database.listsAnywhere,
): Promise<Page> {
  const { state, pageNumber, pageSize } = query
  requireRole(listed, caller, purposeOf(state))
  const rows = rowsOf(listed, caller, query)
  const lastChange = lastChangeSecond(changesThatMatter(listed, caller, state))
  const statement = (query.search ? searchingStatement : listingStatement)(listed, query, rows, lastChange)
  const pieces = { record: recordText(listed), rows, cut: cutOf(query), lastChange }
  const [found] = await refuseTooSlow(slowness(listed, query), () =>
    reads.query<Found>(pageOfList.of(pieces, statement), caller.id),
  )
  const { records, totalCount, lastChangeSecond: second } = found as Found
  return {
    records,
    totalCount,
    pageNumber,
    pageSize,
    totalPages: Math.ceil(totalCount / pageSize),
    lastChangeSecond: second,
  }
}

/** All rows of the list as text, a slice at a time, whatever page the query asks for. */
export function streamList(
  { database }: Tracker,
  listed: Listed,
  caller: Caller,
  query: ListQuery,
  reader: Pick<Streamed<Row>, 'format' | 'signal' | 'onCut'>,
): AsyncGenerator<Buffer, void> {
  requireRole(listed, caller, purposeOf(query.state))
  return database.exports.stream<Row>({
    ...reader,
    statement: sql`select ${shownColumns(listed)} from ${rowsOf(listed, caller, query)} order by ${orderOf(query)}`,
    account: caller.id,
  })
}

/** Counted apart from the page, because an index may have both at hand. */
const listingStatement: Statement = (listed, query, rows, lastChange) => sql`
  select ${arrayOf(listed, sql`select row.* from ${rows} ${cutOf(query)}`)} as "records",
    (select count(*) from ${rows}) as "totalCount", ${lastChange} as "lastChangeSecond"`

const searchingStatement: Statement = (listed, query, rows, lastChange) => sql`
  with ${foundOnce(rows, [query.sortColumn])}
  select ${arrayOf(listed, sql`${pageOfFound(listed, raw('row.*'), pageCut(query))} order by cut."position"`)} as "records",
    (select count(*) from found) as "totalCount", ${lastChange} as "lastChangeSecond"`

interface Found {
  readonly records: string
  readonly totalCount: number
  readonly lastChangeSecond: number | null
}

type Statement = (listed: Listed, query: ListQuery, rows: Sql, lastChange: Sql) => Sql

const cutOf = (query: ListQuery): Sql => {
  const { order, limit } = pageCut(query)
  return sql`order by ${order} ${limit}`
}

const pageCut = (query: ListQuery): PageCut => ({
  order: orderOf(query),
  limit: sql`limit ${query.pageSize} offset ${(query.pageNumber - 1) * query.pageSize}`,
})

export function slowness({ pluralNoun }: Listed, { search }: ListQuery): Slowness {
  return search
    ? { what: `The search in ${pluralNoun}`, advice: searchAdvice, key: 'search' }
    : { what: `The list of ${pluralNoun}`, advice: 'Narrow it with filters.' }
}

const searchAdvice = 'Search for a longer or rarer text, or narrow it with filters.'

function conditionsOf(listed: Listed, query: ListQuery): Sql[] {
  return [
    ...(query.ids ? [sql`row.id = any(${query.ids}::uuid[])`] : []),
    ...Object.entries(query.relations).map(([name, id]) => sql`row.${column(name)} = ${id}`),
    ...dateConditions(listed, query),
  ]
}

/** What is listed, as it stands after `from`. */
function rowsOf(listed: Listed, caller: Caller, query: ListQuery): Sql {
  const match = query.search ? searchCondition(listed, query.search) : undefined
  const matches = match ? [match] : []
  const isIndexed = hasTrigram(query.search ?? '')
  return foundRows(
    { from: sql`${tableOf(listed)} as row`, wanted: listedRows(listed, caller, query.state) },
    {
      quick: [...conditionsOf(listed, query), ...(isIndexed ? matches : [])],
      texts: isIndexed ? [] : matches,
    },
  )
}

/** Matched literally. For a resource without text columns a search excludes nothing. */
function searchCondition(listed: Listed, search: string): Sql | undefined {
  const pattern = `%${matchedLiterally(search)}%`
  const matches = searchColumns(listed).map((name) => sql`row.${column(name)} ilike ${pattern}`)
  return matches.length === 0 ? undefined : sql`(${join(matches, ' or ')})`
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
interface PageCut {
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
