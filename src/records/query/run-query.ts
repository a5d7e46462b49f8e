import { lastChangeSecond } from '../../db/change-log.ts'
import { column, selectColumn } from '../../db/columns.ts'
import type { LimitedReads } from '../../db/limited-reads.ts'
import { pageOfQuery } from '../../db/named-statements.ts'
import type { Row, Values } from '../../db/rows.ts'
import { join, rare, raw, type Sql, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { foundOnce, foundRows, hasTrigram, pageOfFound } from '../list.ts'
import { requireRole } from '../rights.ts'
import { rejectTooSlow } from '../settled-timestamp.ts'
import { changesThatMatter, seesEveryRow, selectRows } from '../visible-rows.ts'
import { joinsOf, referencesOf, type Selection, serializeRow } from './joins.ts'
import { behind, filterCondition, orderBy, writeCursor } from './keyset.ts'
import type { Filter, Value } from './parse-filter.ts'
import type { Query } from './parse-query.ts'

export interface QueryPage {
  readonly rows: readonly Values[]
  /** The position where the next page begins; null at the end. */
  readonly nextCursor: string | null
  /** The number of rows that match the filter, on all pages; only if the request asked for it. */
  readonly totalCount?: number
  readonly lastChangeSecond: number | null
}

/** Runs one statement, so that page, references, count and last change come from one snapshot. */
export async function runQuery(
  listed: Listed,
  caller: Caller,
  query: Query,
  reads: LimitedReads,
  viewResources: readonly string[] = [],
): Promise<QueryPage> {
  requireRole(listed, caller, 'read')
  const { pageSize, sort, question } = query
  const found = await rejectTooSlow(slowness(listed), () =>
    reads.query<Row & Summary>(statementOf(listed, caller, query, viewResources), caller.id),
  )
  const [{ totalCount, lastChangeSecond: second } = noSummary] = found
  const rows = found.filter(({ id }) => id !== null)
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined
  const place = last && sort.map(({ column: { name } }) => last[inPlace(name)] as Value)
  return {
    rows: rows.slice(0, pageSize).map((row) => serializeRow(query.selection, row)),
    nextCursor: place ? writeCursor(question, place) : null,
    ...(totalCount !== null && { totalCount }),
    lastChangeSecond: second,
  }
}

/** A cursor needs the value that rows are sorted by, which may have more digits than are shown. */
const inPlace = (name: string): string => `:${name}`

interface Summary {
  readonly totalCount: number | null
  readonly lastChangeSecond: number | null
}

const noSummary: Summary = { totalCount: null, lastChangeSecond: null }

const slowness = ({ pluralNoun }: Listed) => ({
  what: `The query of ${pluralNoun}`,
  advice: 'Filter by more, or by what is an id or a date; sort by less.',
  key: 'filter',
})

/** Nearly every query has different SQL, so a prepared statement for each would be used once. */
function statementOf(listed: Listed, caller: Caller, query: Query, viewResources: readonly string[]): Sql {
  const { sort, place, selection, pageSize, at } = query
  const from = rowsOf(listed, caller, query)
  const order = orderBy(sort)
  const { selected, joins, columns } = joinsOf(selection, caller, at)
  const sorted = sort.map((key) => key.column.name)
  const placed = sorted.map((name) => sql`row.${column(name)} as ${raw(`"${inPlace(name)}"`)}`)
  const selectedHere = join([...columns.map(selectColumn), ...placed], ', ')
  // Selects one row more than a page has, to detect whether there is another page.
  const limit = sql`limit ${pageSize + 1}`
  const isFoundOnce = query.isCounted && at === undefined && partsOf(query.filter).some(asksTexts)
  const isBehind = place ? sql`and ${behind(sort, place)}` : raw('')
  const counted = isFoundOnce ? raw('found') : from
  const page = isFoundOnce
    ? pageOfFound(listed, selectedHere, { ...(place && { behind: behind(sort, place) }), order, limit })
    : sql`
      select ${selectedHere}, row_number() over (order by ${order}) as "position"
      from ${from} ${isBehind}
      order by ${order} ${limit}`
  const counting = sql`${query.isCounted ? sql`(select count(*) from ${counted})` : raw('null::bigint')} as "totalCount"`
  const lastChange = sql`${lastChangeSecond([...resourcesBehind(selection, caller), ...viewResources])} as "lastChangeSecond"`
  const statement = sql`
    ${isFoundOnce ? sql`with ${foundOnce(from, sorted)}` : raw('')}
    select page.*, ${join([raw('total.*'), ...selected], ', ')}
    from (
      select ${counting}, ${lastChange}
    ) as total
    left join (${page}) as page on true
    ${join(joins, ' ')}
    order by page."position"`
  const pieces = {
    lastChange,
    count: query.isCounted ? sql`count(*) as "totalCount" from ${from}` : undefined,
    page: () => sql`select ${selectedHere} from ${from} ${isBehind} order by ${order} ${limit}`,
    references: () => referencesOf(selection, { caller, at }),
  }
  return rare(pageOfQuery.of(pieces, statement))
}

/** The rows of the query, for use after `from`. */
function rowsOf(listed: Listed, caller: Caller, { filter, at }: Query): Sql {
  // If the caller sees every row, the database may stop at the first matches in the order of an index.
  const isApart = (part: Filter) => !seesEveryRow(listed, caller) && looksIntoTexts(part)
  const parts = partsOf(filter)
  return foundRows(selectRows(listed, caller, at), {
    quick: parts.filter((part) => !isApart(part)).map(filterCondition),
    texts: parts.filter(isApart).map(filterCondition),
  })
}

/** The resources whose changes can affect the answer. */
export const resourcesBehind = ({ listed, expansions }: Selection, caller: Caller): string[] => [
  ...new Set([
    ...changesThatMatter(listed, caller),
    ...expansions.flatMap(({ selection }) => resourcesBehind(selection, caller)),
  ]),
]

/** The parts of a filter that all have to hold. */
export const partsOf = (filter: Filter | undefined): readonly Filter[] => {
  if (filter === undefined) return []
  return 'all' in filter ? filter.all : [filter]
}

/** Whether the filter searches the content of texts. */
function asksTexts(filter: Filter): boolean {
  if ('not' in filter) return asksTexts(filter.not)
  if ('column' in filter) return filter.operator === 'contains' || filter.operator === 'startsWith'
  return ('all' in filter ? filter.all : filter.any).some(asksTexts)
}

/** Whether the text of every row has to be searched, because no index helps with short or negated words. */
function looksIntoTexts(filter: Filter): boolean {
  if ('not' in filter) return asksTexts(filter.not)
  if ('all' in filter) return asksTexts(filter) && filter.all.filter(asksTexts).every(looksIntoTexts)
  if ('any' in filter) return filter.any.some(looksIntoTexts)
  return asksTexts(filter) && !hasTrigram(String(filter.values[0]))
}
