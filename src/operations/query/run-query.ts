import { shownRows } from '../../access/rows-at.ts'
import { changesThatMatter } from '../../access/visible-rows.ts'
import type { Caller } from '../../model/caller.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { lastChangeSecond } from '../../store/change-log.ts'
import type { LimitedReads } from '../../store/limited-reads.ts'
import { column, type Row, type Values } from '../../store/rows.ts'
import { allOf, join, rare, raw, type Sql, sql } from '../../store/sql.ts'
import { refuseTooSlow } from '../refuse-too-slow.ts'
import { writeCursor } from './cursor.ts'
import type { Value } from './filter.ts'
import { filterCondition } from './filter-condition.ts'
import { joinsOf, showRow } from './joins.ts'
import { behind, orderBy } from './keyset.ts'
import type { Query } from './read-query.ts'
import type { Shown } from './shape.ts'

export interface QueryPage {
  readonly rows: readonly Values[]
  /** Where the next page begins; null at the end. */
  readonly nextCursor: string | null
  /** Of the filter, on all pages; when it was asked for. */
  readonly totalCount?: number
  readonly lastChangeSecond: number | null
}

/** One statement: the page, what it refers to, the count and the last change are of one snapshot. */
export async function runQuery(
  listed: Listed,
  caller: Caller,
  query: Query,
  reads: Pick<LimitedReads, 'query'>,
  viewResources: readonly string[] = [],
): Promise<QueryPage> {
  const { pageSize, sort, question } = query
  const found = await refuseTooSlow(slowness(listed), () =>
    reads.query<Row & Summary>(statementOf(listed, caller, query, viewResources), caller.id),
  )
  const [{ totalCount, lastChangeSecond: second } = noSummary] = found
  const rows = found.filter(({ id }) => id !== null)
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined
  const place = last && sort.map(({ column: { name } }) => last[name] as Value)
  return {
    rows: rows.slice(0, pageSize).map((row) => showRow(query.shown, row)),
    nextCursor: place ? writeCursor(question, place) : null,
    ...(totalCount !== null && { totalCount }),
    lastChangeSecond: second,
  }
}

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

/** Nearly every query has a text of its own, so a prepared statement for each would be used once. */
function statementOf(listed: Listed, caller: Caller, query: Query, viewResources: readonly string[]): Sql {
  const { filter, sort, place, shown, pageSize, isCounted, at } = query
  const { from: rows, wanted } = shownRows(listed, caller, at)
  const from = sql`${rows} where ${allOf([wanted, ...(filter ? [filterCondition(filter)] : [])])}`
  const order = orderBy(sort)
  const { selected, joins, columns } = joinsOf(shown, caller, at)
  const needed = new Set([...columns, ...sort.map((key) => key.column.name)])
  const shownHere = [...needed].map((name) => sql`row.${column(name)} as ${raw(`"${name}"`)}`)
  // One row more than shown tells whether there is another page.
  return rare(sql`
    select page.*, ${join([raw('total.*'), ...selected], ', ')}
    from (
      select ${isCounted ? sql`(select count(*) from ${from})` : raw('null::bigint')} as "totalCount",
        ${lastChangeSecond([...resourcesBehind(shown, caller), ...viewResources])} as "lastChangeSecond"
    ) as total
    left join (
      select ${join(shownHere, ', ')}, row_number() over (order by ${order}) as "position"
      from ${from} ${place ? sql`and ${behind(sort, place)}` : raw('')}
      order by ${order} limit ${pageSize + 1}
    ) as page on true
    ${join(joins, ' ')}
    order by page."position"`)
}

/** The resources whose changes can change the answer. */
export const resourcesBehind = ({ listed, expansions }: Shown, caller: Caller): string[] => [
  ...new Set([
    ...changesThatMatter(listed, caller),
    ...expansions.flatMap(({ shown }) => resourcesBehind(shown, caller)),
  ]),
]
