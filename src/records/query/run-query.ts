import { lastChangeSecond } from '../../db/change-log.ts'
import { column, selectColumn } from '../../db/columns.ts'
import type { LimitedReads } from '../../db/limited-reads.ts'
import type { Row, Values } from '../../db/rows.ts'
import { join, raw, type Sql, sql, unprepared } from '../../db/sql.ts'
import { pageOfQuery } from '../../db/stepwise-statements.ts'
import type { Caller } from '../../model/caller.ts'
import type { ListedResource } from '../../resources/define-resource.ts'
import { explainTimeout } from '../get.ts'
import { foundCte, foundRows, hasTrigram, pageOfFound } from '../list.ts'
import { requireAccess } from '../rights.ts'
import { resourcesAffecting, seesEveryRow, selectRows } from '../visible-rows.ts'
import { joinsOf, referencesOf, type Selection, serializeRow } from './joins.ts'
import { encodeCursor, filterCondition, isAfter, orderBy } from './keyset.ts'
import type { Filter, Value } from './parse-filter.ts'
import type { Query } from './parse-query.ts'

export interface QueryPage {
  readonly rows: readonly Values[]
  readonly nextCursor: string | null
  /** The number of rows on all pages. Undefined unless it was requested. */
  readonly totalCount?: number
  readonly lastChangeSecond: number | null
}

/** Runs one statement, so that page, references, count and last change come from one snapshot. */
export async function runQuery(
  resource: ListedResource,
  caller: Caller,
  query: Query,
  reads: LimitedReads,
  savedViewResources: readonly string[] = [],
): Promise<QueryPage> {
  requireAccess(resource, caller, 'read')
  const { pageSize, sort, cursorScope } = query
  const found = await explainTimeout(timeoutAdvice(resource), () =>
    reads.query<Row & Summary>(statementOf(resource, caller, query, savedViewResources), caller.id),
  )
  const [{ totalCount, lastChangeSecond: second } = emptySummary] = found
  const rows = found.filter(({ id }) => id !== null)
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined
  const after = last && sort.map(({ column: { name } }) => last[sortAlias(name)] as Value)
  return {
    rows: rows.slice(0, pageSize).map((row) => serializeRow(query.selection, row)),
    nextCursor: after ? encodeCursor(cursorScope, after) : null,
    ...(totalCount !== null && { totalCount }),
    lastChangeSecond: second,
  }
}

/** A cursor needs the stored sort value. It may have more digits than the serialized value. */
const sortAlias = (name: string): string => `:${name}`

interface Summary {
  readonly totalCount: number | null
  readonly lastChangeSecond: number | null
}

const emptySummary: Summary = { totalCount: null, lastChangeSecond: null }

const timeoutAdvice = ({ pluralNoun }: ListedResource) => ({
  subject: `The query of ${pluralNoun}`,
  advice: 'Add filters, preferably by an id or a date, or sort by fewer fields.',
  key: 'filter',
})

/** Nearly every query has different SQL, so a prepared statement for each would be used once. */
function statementOf(
  resource: ListedResource,
  caller: Caller,
  query: Query,
  savedViewResources: readonly string[],
): Sql {
  const { sort, after, selection, pageSize, at } = query
  const from = rowsOf(resource, caller, query)
  const order = orderBy(sort)
  const { selected, joins, columns } = joinsOf(selection, caller, at)
  const sorted = sort.map((key) => key.column.name)
  const sortValues = sorted.map((name) => sql`row.${column(name)} as ${raw(`"${sortAlias(name)}"`)}`)
  const pageColumns = join([...columns.map(selectColumn), ...sortValues], ', ')
  // Selects one row more than a page has, to detect whether there is another page.
  const limit = sql`limit ${pageSize + 1}`
  // Count and page then share the found rows. `pageOfFound` reads current rows, so it cannot serve a query of an
  // earlier time.
  const usesFoundCte = query.isCounted && at === undefined && partsOf(query.filter).some(searchesText)
  const andAfter = after ? sql`and ${isAfter(sort, after)}` : raw('')
  const countedRows = usesFoundCte ? raw('found') : from
  const page = usesFoundCte
    ? pageOfFound(resource, pageColumns, { ...(after && { after: isAfter(sort, after) }), order, limit })
    : sql`
      select ${pageColumns}, row_number() over (order by ${order}) as "position"
      from ${from} ${andAfter}
      order by ${order} ${limit}`
  const count = query.isCounted ? sql`(select count(*) from ${countedRows})` : raw('null::bigint')
  const totalCount = sql`${count} as "totalCount"`
  const affectingResources = [...resourcesAffectingSelection(selection, caller), ...savedViewResources]
  const lastChange = sql`${lastChangeSecond(affectingResources)} as "lastChangeSecond"`
  const statement = sql`
    ${usesFoundCte ? sql`with ${foundCte(from, sorted)}` : raw('')}
    select page.*, ${join([raw('total.*'), ...selected], ', ')}
    from (
      select ${totalCount}, ${lastChange}
    ) as total
    left join (${page}) as page on true
    ${join(joins, ' ')}
    order by page."position"`
  // A sharded store builds its statements from this input.
  const stepInput = {
    lastChange,
    count: query.isCounted ? sql`count(*) as "totalCount" from ${from}` : undefined,
    page: () => sql`select ${pageColumns} from ${from} ${andAfter} order by ${order} ${limit}`,
    references: () => referencesOf(selection, { caller, at }),
  }
  return unprepared(pageOfQuery.attach(stepInput, statement))
}

/** The SQL after `from` that finds the rows of the query. */
function rowsOf(resource: ListedResource, caller: Caller, { filter, at }: Query): Sql {
  // If the caller does not see every row, the visible rows are found first, and only their texts are scanned.
  // Otherwise the database may scan an index in order and stop at the first matches.
  const mustScanTexts = (part: Filter) => !seesEveryRow(resource, caller) && scansText(part)
  const parts = partsOf(filter)
  return foundRows(selectRows(resource, caller, at), {
    quick: parts.filter((part) => !mustScanTexts(part)).map(filterCondition),
    texts: parts.filter(mustScanTexts).map(filterCondition),
  })
}

/** The resources whose changes can affect the response. */
export const resourcesAffectingSelection = (
  { resource, expansions }: Selection,
  caller: Caller,
): string[] => [
  ...new Set([
    ...resourcesAffecting(resource, caller),
    ...expansions.flatMap(({ selection }) => resourcesAffectingSelection(selection, caller)),
  ]),
]

/** Returns the conditions that `and` connects, or the filter itself. */
export const partsOf = (filter: Filter | undefined): readonly Filter[] => {
  if (filter === undefined) return []
  return 'all' in filter ? filter.all : [filter]
}

/** Returns whether the filter searches inside texts. */
function searchesText(filter: Filter): boolean {
  if ('not' in filter) return searchesText(filter.not)
  if ('column' in filter) return filter.operator === 'contains' || filter.operator === 'startsWith'
  return ('all' in filter ? filter.all : filter.any).some(searchesText)
}

/** Returns whether the text of every row must be searched. No index helps with short or negated words. */
function scansText(filter: Filter): boolean {
  if ('not' in filter) return searchesText(filter.not)
  if ('all' in filter) return searchesText(filter) && filter.all.filter(searchesText).every(scansText)
  if ('any' in filter) return filter.any.some(scansText)
  return searchesText(filter) && !hasTrigram(String(filter.values[0]))
}
