import { lastChangeSecond } from '../db/change-log.ts'
import { column, selectColumns, tableOf } from '../db/columns.ts'
import type { LimitedReads } from '../db/limited-reads.ts'
import type { Row } from '../db/rows.ts'
import { allOf, escapeLike, join, raw, type Sql, sql } from '../db/sql.ts'
import { pageOfList } from '../db/stepwise-statements.ts'
import type { StreamRequest } from '../db/streamed-reads.ts'
import type { Caller } from '../model/caller.ts'
import type { ListedResource } from '../resources/define-resource.ts'
import { isOfAssignment, searchColumns } from '../resources/derived.ts'
import type { Context } from './context.ts'
import { explainTimeout, type TimeoutAdvice } from './get.ts'
import { type ListQuery, purposeOf } from './list-query.ts'
import { recordJsonSql, recordsJsonSql } from './record-json.ts'
import { requireAccess } from './rights.ts'
import { listedRows, resourcesAffecting, type SelectedRows, withoutPlaceholders } from './visible-rows.ts'

export interface Page {
  /** The rows as a JSON array, which the REST host sends unchanged. */
  readonly recordsJson: string
  readonly totalCount: number
  readonly pageNumber: number
  readonly pageSize: number
  readonly totalPages: number
  /**
   * The time of the last change that can affect the response, in seconds since 1970. Null if it is no longer
   * in the change log.
   */
  readonly lastChangeSecond: number | null
}

/** Runs one statement, so that rows, count and last change are from one snapshot. */
export async function list(
  { database }: Context,
  resource: ListedResource,
  caller: Caller,
  query: ListQuery,
  reads: LimitedReads = database.standbyListReads,
): Promise<Page> {
  const { state, pageNumber, pageSize } = query
  requireAccess(resource, caller, purposeOf(state))
  const rows = rowsOf(resource, caller, query)
  const lastChange = sql`${lastChangeSecond(resourcesAffectingList(resource, caller, query))} as "lastChangeSecond"`
  const statement = (query.search ? searchingStatement : listingStatement)(resource, query, rows, lastChange)
  // A sharded store builds its statements from this input.
  const stepInput = { record: recordJsonSql(resource), rows, orderAndLimit: orderAndLimit(query), lastChange }
  const [found] = await explainTimeout(timeoutAdvice(resource, query), () =>
    reads.query<ListResult>(pageOfList.attach(stepInput, statement), caller.id),
  )
  const { records, totalCount, lastChangeSecond: second } = found as ListResult
  return {
    recordsJson: records,
    totalCount,
    pageNumber,
    pageSize,
    totalPages: Math.ceil(totalCount / pageSize),
    lastChangeSecond: second,
  }
}

/** Streams all rows of the list as text, without paging. */
export function streamList(
  { database }: Context,
  resource: ListedResource,
  caller: Caller,
  query: ListQuery,
  options: Pick<StreamRequest<Row>, 'format' | 'signal' | 'onCut'>,
): AsyncGenerator<Buffer, void> {
  requireAccess(resource, caller, purposeOf(query.state))
  return database.exports.stream<Row>({
    ...options,
    statement: sql`select ${selectColumns(resource)} from ${rowsOf(resource, caller, query)} order by ${orderOf(query)}`,
    account: caller.id,
  })
}

/** Counts in a separate subquery, so that count and page can use different indexes. */
const listingStatement: Statement = (resource, query, rows, lastChange) => {
  const page = sql`select row.* from ${rows} ${orderAndLimit(query)}`
  return sql`
  select ${recordsJsonSql(resource, page)} as "records",
    (select count(*) from ${rows}) as "totalCount", ${lastChange}`
}

const searchingStatement: Statement = (resource, query, rows, lastChange) => {
  const page = pageOfFound(resource, raw('row.*'), boundsOf(query))
  return sql`
  with ${foundCte(rows, [query.sortColumn])}
  select ${recordsJsonSql(resource, sql`${page} order by paged."position"`)} as "records",
    (select count(*) from found) as "totalCount", ${lastChange}`
}

interface ListResult {
  readonly records: string
  readonly totalCount: number
  readonly lastChangeSecond: number | null
}

type Statement = (resource: ListedResource, query: ListQuery, rows: Sql, lastChange: Sql) => Sql

const orderAndLimit = (query: ListQuery): Sql => {
  const { order, limit } = boundsOf(query)
  return sql`order by ${order} ${limit}`
}

const boundsOf = (query: ListQuery): PageBounds => ({
  order: orderOf(query),
  limit: sql`limit ${query.pageSize} offset ${(query.pageNumber - 1) * query.pageSize}`,
})

export function timeoutAdvice({ pluralNoun }: ListedResource, { search }: ListQuery): TimeoutAdvice {
  return search
    ? { subject: `The search in ${pluralNoun}`, advice: searchAdvice, key: 'search' }
    : { subject: `The list of ${pluralNoun}`, advice: 'Narrow it with filters.' }
}

const searchAdvice = 'Search for a longer or rarer text, or narrow it with filters.'

function conditionsOf(resource: ListedResource, query: ListQuery): Sql[] {
  return [
    ...(query.ids ? [sql`row.id = any(${query.ids}::uuid[])`] : []),
    ...Object.entries(query.idFilters).map(([name, id]) => idFilterCondition(resource, name, id)),
    ...dateConditions(resource, query),
    // Instead of a missing value, a column may have a placeholder, which must not match a filter.
    ...withoutPlaceholders(resource, filteredColumns(resource, query)),
  ]
}

function filteredColumns({ filters }: ListedResource, { idFilters, dateFrom, dateTo }: ListQuery): string[] {
  const periodColumns = filters.flatMap((filter) =>
    typeof filter === 'string' || 'instant' in filter ? [] : filter.period,
  )
  return [...Object.keys(idFilters), ...(dateFrom || dateTo ? periodColumns : [])]
}

const idFilterCondition = (resource: ListedResource, name: string, id: string): Sql =>
  isProjectOfAssignment(resource, name)
    ? sql`row.assignment_id in (select id from assignments where project_id = ${id})`
    : sql`row.${column(name)} = ${id}`

/**
 * Returns whether the filter is for the project of the assignment of a row. The row itself has no project
 * column.
 */
const isProjectOfAssignment = (resource: ListedResource, filter: string): boolean =>
  filter === 'projectId' && isOfAssignment(resource)

/** Returns the resources whose changes can affect the rows of the list. */
export const resourcesAffectingList = (
  resource: ListedResource,
  caller: Caller,
  { state, idFilters }: Pick<ListQuery, 'state' | 'idFilters'>,
): string[] => {
  // When an assignment moves to another project, its rows move, too.
  const dependsOnAssignments = Object.keys(idFilters).some((name) => isProjectOfAssignment(resource, name))
  return [
    ...new Set([
      ...resourcesAffecting(resource, caller, state),
      ...(dependsOnAssignments ? ['assignment'] : []),
    ]),
  ]
}

/** Returns the SQL after `from` that finds the rows of the list. */
function rowsOf(resource: ListedResource, caller: Caller, query: ListQuery): Sql {
  const match = query.search ? searchCondition(resource, query.search) : undefined
  const matches = match ? [match] : []
  const isIndexed = hasTrigram(query.search ?? '')
  return foundRows(
    { from: sql`${tableOf(resource)} as row`, where: listedRows(resource, caller, query.state) },
    {
      quick: [...conditionsOf(resource, query), ...(isIndexed ? matches : [])],
      texts: isIndexed ? [] : matches,
    },
  )
}

/**
 * Searches for the literal text. Returns undefined for a resource without text columns, which a search does
 * not filter.
 */
function searchCondition(resource: ListedResource, search: string): Sql | undefined {
  const pattern = `%${escapeLike(search)}%`
  const matches = searchColumns(resource).map((name) => sql`row.${column(name)} ilike ${pattern}`)
  return matches.length === 0 ? undefined : sql`(${join(matches, ' or ')})`
}

/** A timestamp must be in [from, to), and a period must overlap it. */
function dateConditions({ filters }: ListedResource, { dateFrom, dateTo }: ListQuery): Sql[] {
  return filters.flatMap((filter) => {
    if (typeof filter === 'string') return []
    const [start, end] = 'instant' in filter ? [filter.instant, filter.instant] : filter.period
    return [
      ...(dateFrom ? [sql`row.${column(end)} >= ${dateFrom}`] : []),
      ...(dateTo ? [sql`row.${column(start)} < ${dateTo}`] : []),
    ]
  })
}

/** The id makes the order unique, so that pages never overlap. */
function orderOf({ sortColumn, sortOrder }: ListQuery): Sql {
  const direction = raw(sortOrder)
  return sortColumn === 'id' ? sql`row.id ${direction}` : sql`row.${column(sortColumn)} ${direction}, row.id`
}

/** Conditions on rows, separated by their cost. */
export interface Conditions {
  /** Conditions on ids, numbers and dates, and on texts that an index covers. */
  readonly quick: readonly Sql[]
  /** Conditions that search the text of each row. */
  readonly texts: readonly Sql[]
}

/**
 * Returns the SQL after `from` for rows that fulfil all conditions. With `offset 0`, PostgreSQL finds the
 * visible rows first. Otherwise it would search the texts of all users.
 */
export function foundRows({ from, where }: SelectedRows, { quick, texts }: Conditions): Sql {
  const rows = sql`${from} where ${allOf([where, ...quick])}`
  return texts.length === 0 ? rows : sql`(select * from ${rows} offset 0) as row where ${allOf(texts)}`
}

/** The text indexes need three consecutive letters or digits. */
export const hasTrigram = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text)

/** Returns the CTE `found`. Count and page share it, so that texts are searched only once. */
export const foundCte = (rows: Sql, sortColumns: readonly string[]): Sql => {
  const names = [...new Set(['id', ...sortColumns])]
  return sql`found as materialized (select ${join(
    names.map((name) => sql`row.${column(name)}`),
    ', ',
  )} from ${rows})`
}

/** The limits and the order of a page. */
interface PageBounds {
  readonly after?: Sql
  readonly order: Sql
  readonly limit: Sql
}

/** Selects the columns `selected` of a page of `found`, and the position of each row. */
export const pageOfFound = (
  resource: ListedResource,
  selected: Sql,
  { after, order, limit }: PageBounds,
): Sql => sql`
  select ${selected}, paged."position"
  from (
    select row.id, row_number() over (order by ${order}) as "position"
    from found as row where ${after ?? raw('true')} order by ${order} ${limit}
  ) as paged
  join ${tableOf(resource)} as row on row.id = paged.id`
