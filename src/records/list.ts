import { lastChangeSecond } from '../db/change-log.ts'
import { column, selectColumns, tableOf } from '../db/columns.ts'
import type { LimitedReads } from '../db/limited-reads.ts'
import { pageOfList } from '../db/named-statements.ts'
import type { Row } from '../db/rows.ts'
import { allOf, join, matchedLiterally, raw, type Sql, sql } from '../db/sql.ts'
import type { Streamed } from '../db/streamed-reads.ts'
import type { Caller } from '../model/caller.ts'
import type { Listed } from '../resources/define-resource.ts'
import { searchColumns } from '../resources/derived.ts'
import type { Context } from './context.ts'
import { type ListQuery, purposeOf } from './list-query.ts'
import { requireRole } from './rights.ts'
import { arrayOf, recordText } from './serialize-record.ts'
import { rejectTooSlow, type Slowness } from './settled-timestamp.ts'
import { changesThatMatter, listedRows, type SelectedRows } from './visible-rows.ts'

export interface Page {
  /** A JSON array of the rows, each as every host serializes it. */
  readonly records: string
  readonly totalCount: number
  readonly pageNumber: number
  readonly pageSize: number
  readonly totalPages: number
  /**
   * The time of the last change to anything the answer depends on, in seconds since 1970; null when it is no
   * longer in the change log.
   */
  readonly lastChangeSecond: number | null
}

/** Runs one statement, so that rows, count and last change come from one snapshot. */
export async function list(
  { database }: Context,
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
  const [found] = await rejectTooSlow(slowness(listed, query), () =>
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

/** Streams all rows of the list as text, slice by slice, ignoring the page that the query asks for. */
export function streamList(
  { database }: Context,
  listed: Listed,
  caller: Caller,
  query: ListQuery,
  reader: Pick<Streamed<Row>, 'format' | 'signal' | 'onCut'>,
): AsyncGenerator<Buffer, void> {
  requireRole(listed, caller, purposeOf(query.state))
  return database.exports.stream<Row>({
    ...reader,
    statement: sql`select ${selectColumns(listed)} from ${rowsOf(listed, caller, query)} order by ${orderOf(query)}`,
    account: caller.id,
  })
}

/** Counts separately from the page, because each can use an index. */
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

/** The rows of the list, for use after `from`. */
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

/** Matches literally. In a resource without text columns a search excludes nothing. */
function searchCondition(listed: Listed, search: string): Sql | undefined {
  const pattern = `%${matchedLiterally(search)}%`
  const matches = searchColumns(listed).map((name) => sql`row.${column(name)} ilike ${pattern}`)
  return matches.length === 0 ? undefined : sql`(${join(matches, ' or ')})`
}

/** A timestamp must lie in [from, to), a period must overlap it. */
function dateConditions({ filters }: Listed, { dateFrom, dateTo }: ListQuery): Sql[] {
  return filters.flatMap((filter) => {
    if (typeof filter === 'string') return []
    const [start, end] = 'instant' in filter ? [filter.instant, filter.instant] : filter.period
    return [
      ...(dateFrom ? [sql`row.${column(end)} >= ${dateFrom}`] : []),
      ...(dateTo ? [sql`row.${column(start)} < ${dateTo}`] : []),
    ]
  })
}

/** Ties are broken by the id, so that pages never overlap. */
function orderOf({ sortColumn, sortOrder }: ListQuery): Sql {
  const direction = raw(sortOrder)
  return sortColumn === 'id' ? sql`row.id ${direction}` : sql`row.${column(sortColumn)} ${direction}, row.id`
}

/** The conditions on rows, separated by the cost of checking them. */
export interface Conditions {
  /** Conditions on ids, numbers and dates, and on texts that an index covers. */
  readonly quick: readonly Sql[]
  /** Conditions that have to search the text of each row. */
  readonly texts: readonly Sql[]
}

/**
 * The rows that fulfil all conditions, for use after `from`. `offset 0` makes the database find the visible
 * rows first: the planner considers a text search as cheap as comparing a number, and would otherwise search
 * the rows of all users.
 */
export function foundRows({ from, wanted }: SelectedRows, { quick, texts }: Conditions): Sql {
  const rows = sql`${from} where ${allOf([wanted, ...quick])}`
  return texts.length === 0 ? rows : sql`(select * from ${rows} offset 0) as row where ${allOf(texts)}`
}

/** The text indexes need three letters in a row. */
export const hasTrigram = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text)

/**
 * Long texts are searched once, for count and page together, because that is nearly all of the work. Used
 * after `with`.
 */
export const foundOnce = (rows: Sql, sortColumns: readonly string[]): Sql => {
  const names = [...new Set(['id', ...sortColumns])]
  return sql`found as materialized (select ${join(
    names.map((name) => sql`row.${column(name)}`),
    ', ',
  )} from ${rows})`
}

/** Selects the rows of a page, and their order. */
interface PageCut {
  readonly behind?: Sql
  readonly order: Sql
  readonly limit: Sql
}

/**
 * Selects the columns `selected` for a page of the rows that were found once, with their place in the order
 * as "position".
 */
export const pageOfFound = (listed: Listed, selected: Sql, { behind, order, limit }: PageCut): Sql => sql`
  select ${selected}, cut."position"
  from (
    select row.id, row_number() over (order by ${order}) as "position"
    from found as row where ${behind ?? raw('true')} order by ${order} ${limit}
  ) as cut
  join ${tableOf(listed)} as row on row.id = cut.id`
