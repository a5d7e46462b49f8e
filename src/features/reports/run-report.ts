import { lastChangeSecond } from '../../db/change-log.ts'
import { column, tableOf } from '../../db/columns.ts'
import { isUnknownTimeZone } from '../../db/failures.ts'
import type { LimitedReads } from '../../db/limited-reads.ts'
import type { Values } from '../../db/rows.ts'
import { allOf, join, raw, type Sql, sql, unprepared } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { invalid } from '../../model/problem.ts'
import { explainTimeout } from '../../records/get.ts'
import { requireAccess } from '../../records/rights.ts'
import { listedRows, resourcesAffecting, withoutPlaceholders } from '../../records/visible-rows.ts'
import { assignment } from '../../resources/assignment.ts'
import type { ListedResource } from '../../resources/define-resource.ts'
import { project } from '../../resources/project.ts'
import {
  type EntityGrouping,
  entityFilters,
  entityGroupings,
  type Grouping,
  isTimeGrouping,
  type Measure,
  type Report,
  type ReportQuery,
  unknownTimeZone,
} from './parse-report-query.ts'

export interface ReportResult {
  readonly groups: readonly Values[]
  /** The number of all groups, including those beyond the limit. */
  readonly totalGroups: number
  /** The totals over all groups. */
  readonly total: Values
  readonly timeZone: string
  readonly lastChangeSecond: number | null
}

/** Runs one statement, so that groups, their names and the total come from one snapshot. */
export async function runReport(
  report: Report,
  caller: Caller,
  query: ReportQuery,
  reads: LimitedReads,
): Promise<ReportResult> {
  for (const resource of resourcesIn(report, query)) requireAccess(resource, caller, 'read')
  const found = await explainTimeout(timeoutAdvice(report), () => read(report, caller, query, reads))
  const [first = {}] = found
  const measuresIn = (row: Values, prefix: string) =>
    Object.fromEntries(report.measures.map(({ name }) => [name, Number(row[prefix + name] ?? 0)]))
  const groupIn = (row: Values) =>
    Object.fromEntries(
      query.groupBy.map((grouping, index) => [grouping, serializeGroup(row, grouping, index)]),
    )
  // Without any group, the statement returns one row that has only the totals.
  const groupRows = found.filter(({ position }) => position !== null && position !== undefined)
  return {
    groups: groupRows.map((row) => ({ ...groupIn(row), ...measuresIn(row, '') })),
    totalGroups: Number(first.totalGroups ?? 0),
    total: measuresIn(first, 'total_'),
    timeZone: query.timeZone,
    lastChangeSecond: (first.lastChangeSecond ?? null) as number | null,
  }
}

/** Returns the resources that the report sums, groups or filters by. */
function resourcesIn({ summed }: Report, { groupBy, filters }: ReportQuery): readonly ListedResource[] {
  const entities = [
    ...groupBy.flatMap((grouping) => (isTimeGrouping(grouping) ? [] : [entityGroupings[grouping]])),
    ...Object.keys(filters).flatMap((name) => entityFilters[name] ?? []),
  ]
  const resourcesOf = { row: [], assignment: [assignment], project: [assignment, project] }
  return [summed, ...entities.flatMap(({ source }) => resourcesOf[source])]
}

/** A name that the caller may not see is null. */
const serializeGroup = (row: Values, grouping: Grouping, index: number): unknown =>
  isTimeGrouping(grouping)
    ? row[`group${index}`]
    : { id: row[`group${index}`], name: row[`name${index}`] ?? null }

const timeoutAdvice = ({ name }: Report) => ({
  subject: `The report of ${name}`,
  advice: 'Narrow it by dateFrom and dateTo, or by a project.',
  key: 'dateFrom',
})

async function read(
  report: Report,
  caller: Caller,
  query: ReportQuery,
  reads: LimitedReads,
): Promise<Values[]> {
  try {
    return await reads.query<Values>(statementOf(report, caller, query), caller.id)
  } catch (error) {
    // PostgreSQL's list of time zones may be older than the program's.
    if (isUnknownTimeZone(error)) throw invalid({ timeZone: [unknownTimeZone] })
    throw error
  }
}

function statementOf(report: Report, caller: Caller, query: ReportQuery): Sql {
  const { groupBy, limit } = query
  const { measures } = report
  const keys = groupBy.map(
    (grouping, index) => sql`${groupKey(report, grouping, query)} as ${groupName(index)}`,
  )
  const named = groupBy.flatMap((grouping, index) =>
    isTimeGrouping(grouping) ? [] : [{ index, ...entityGroupings[grouping] }],
  )
  const ownNames = named.filter(isJoined).map((grouping) => ownName(report, grouping))
  const lookups = named.filter((grouping) => !isJoined(grouping))
  const ordered = groupBy.flatMap((grouping, index) => [
    ...(isTimeGrouping(grouping) ? [] : [nameOf(entityGroupings[grouping], index)]),
    groupName(index),
  ])
  const order = join(ordered, ', ')
  return unprepared(sql`
    with sums as (
      select ${join([...keys, ...ownNames, ...measures.map(sumColumn)], ', ')}
      from ${fromClause(report)} where ${allOf(conditionsOf(report, caller, query))}
      group by ${join(
        groupBy.map((_, index) => raw(String(index + 1))),
        ', ',
      )}
    )
    select total.*, shown.*
    from (
      select count(*) as "totalGroups", ${join(measures.map(totalOf), ', ')},
        ${lastChangeSecond(resourcesAffectingReport(report, caller, query))} as "lastChangeSecond"
      from sums
    ) as total
    left join (
      select ${join([raw('sums.*'), ...lookups.map(({ index }) => raw(`named${index}.name as "name${index}"`))], ', ')},
        row_number() over (order by ${order}) as position
      from sums ${join(
        lookups.map(({ index, resource }) => nameJoin(index, resource, caller)),
        ' ',
      )}
      order by ${order} limit ${limit}
    ) as shown on true
    order by shown.position`)
}

const groupName = (index: number): Sql => raw(`group${index}`)

/** True if the groups are themselves rows that the statement sums or joins, so their names are known. */
const isJoined = ({ column: name }: EntityGrouping): boolean => name === 'id'

/** The name needs no access rule of its own, because every reader of a summed row may read its assignment. */
const ownName = ({ summed }: Report, { source, index }: EntityGrouping & { readonly index: number }): Sql =>
  raw(`min(${aliasOf(summed, source)}.name) as name${index}`)

const nameOf = (grouping: EntityGrouping, index: number): Sql =>
  raw(isJoined(grouping) ? `sums.name${index}` : `named${index}.name`)

const sumColumn = ({ name, column: summed }: Measure): Sql =>
  sql`${summed ? sql`sum(row.${column(summed)})` : raw('count(*)')} as ${raw(`"${name}"`)}`

const totalOf = ({ name }: Measure): Sql => raw(`coalesce(sum("${name}"), 0) as "total_${name}"`)

/** The planner removes joined tables that the report neither groups nor filters by. */
const fromClause = ({ summed }: Report): Sql =>
  sql`${tableOf(summed)} as row
    ${summed === assignment ? raw('') : sql`left join ${tableOf(assignment)} as assignment on assignment.id = row.assignment_id`}
    left join ${tableOf(project)} as project on project.id = ${raw(aliasOf(summed, 'assignment'))}.project_id`

/** If assignments are summed, the row itself is the assignment. */
const aliasOf = (summed: Report['summed'], source: EntityGrouping['source']): string =>
  source === 'assignment' && summed === assignment ? 'row' : source

const columnOf = ({ summed }: Report, { source, column: name }: EntityGrouping): Sql =>
  sql`${raw(aliasOf(summed, source))}.${column(name)}`

/** The key of a week is its Monday. The key of a month is its year and number. */
function groupKey(report: Report, grouping: Grouping, { timeZone }: ReportQuery): Sql {
  if (!isTimeGrouping(grouping)) return columnOf(report, entityGroupings[grouping])
  // `grouping` is `week` or `month`, so its text needs no parameter.
  const local = sql`date_trunc(${raw(`'${grouping}'`)}, row.${column(report.dateColumn)} at time zone ${timeZone}::text)`
  return sql`to_char(${local}, ${raw(grouping === 'week' ? `'YYYY-MM-DD'` : `'YYYY-MM'`)})`
}

function conditionsOf(report: Report, caller: Caller, query: ReportQuery): Sql[] {
  const { dateFrom, dateTo, timeZone, filters } = query
  const date = sql`row.${column(report.dateColumn)}`
  const startOf = (day: string) => sql`(${day}::timestamp at time zone ${timeZone}::text)`
  const conditions = [
    listedRows(report.summed, caller, 'active'),
    ...withoutPlaceholders(report.summed, usedColumns(report, query)),
  ]
  if (dateFrom) conditions.push(sql`${date} >= ${startOf(dateFrom)}`)
  if (dateTo) conditions.push(sql`${date} < ${startOf(dateTo)}`)
  for (const [name, id] of Object.entries(filters)) {
    const filter = entityFilters[name]
    if (filter) conditions.push(sql`${columnOf(report, filter)} = ${id}::uuid`)
  }
  return conditions
}

/** The columns by which the report groups or filters. */
const usedColumns = (
  { dateColumn }: Report,
  { groupBy, dateFrom, dateTo, filters }: ReportQuery,
): string[] => [
  ...(dateFrom || dateTo ? [dateColumn] : []),
  ...groupBy.map((grouping) => (isTimeGrouping(grouping) ? dateColumn : entityGroupings[grouping].column)),
  ...Object.keys(filters),
]

const nameJoin = (index: number, resource: EntityGrouping['resource'], caller: Caller): Sql =>
  sql`left join lateral (
    select row.name from ${tableOf(resource)} as row
    where row.id = ${raw(`sums.group${index}`)} and ${listedRows(resource, caller, 'active')}
  ) as ${raw(`named${index}`)} on true`

/** Returns the resources whose changes can change the sums or the names of the groups. */
export const resourcesAffectingReport = (
  { summed }: Report,
  caller: Caller,
  { groupBy }: ReportQuery,
): string[] => [
  ...new Set([
    ...[summed, assignment, project].flatMap((resource) => resourcesAffecting(resource, caller)),
    ...groupBy.flatMap((grouping) =>
      isTimeGrouping(grouping) ? [] : resourcesAffecting(entityGroupings[grouping].resource, caller),
    ),
  ]),
]
