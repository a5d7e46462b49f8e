import { csvHeader, csvLine } from '../../http/csv.ts'
import { prefersOverJson, wantsEventStream } from '../../http/event-stream.ts'
import type { Parameter, Schema } from '../../http/openapi.ts'
import type { Caller } from '../../model/caller.ts'
import { capitalize } from '../../model/field.ts'
import { uuid } from '../../model/field-kinds.ts'
import { invalid } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { visibilityKeyOf } from '../../records/visible-rows.ts'
import type { Route } from '../../routes/route.ts'
import { ref, resultSchema, someText } from '../../routes/schemas.ts'
import type { ListingView } from '../changes/listing.ts'
import type { LiveListings } from '../changes/live-listings.ts'
import {
  entityFilters,
  groupings,
  groupingsMax,
  groupsMax,
  isTimeGrouping,
  parseReportQuery,
  type Report,
  type ReportQuery,
  reports,
} from './parse-report-query.ts'
import { type ReportResult, resourcesAffectingReport, runReport } from './run-report.ts'

/** Serves sums over the rows that the caller may see. */
export const reportRoutes = (context: Context, live: LiveListings): Route[] =>
  reports.map((report) => ({
    id: `Report${capitalize(report.name)}`,
    tag: 'Reports',
    summary: `Sums ${report.summed.pluralNoun} by groups; with Accept: text/csv as a table, with Accept: text/event-stream live.`,
    description:
      'Only rows that the caller can see are summed. A CSV table that would be incomplete is rejected.',
    method: 'GET',
    path: `/ext/reports/${report.name}`,
    parameters: reportParameters(report),
    response: ref(`${capitalize(report.name)}Report`),
    errors: [400, 503],
    isConditional: true,
    isLive: true,
    hasTable: true,
    async handle({ caller, session, request, reply }) {
      const query = parseReportQuery(request.query as Readonly<Record<string, unknown>>)
      if (wantsEventStream(request))
        return live.open(reportView(report, caller, query), { session, request, reply })
      const sums = await runReport(report, caller, query, context.database.standbyListReads)
      if (!prefersOverJson(request, 'text/csv'))
        return { body: serializeReport(sums), lastChangeSecond: sums.lastChangeSecond }
      const table = csvOf(report, query, sums)
      reply.headers({ ...csvHeaders, 'content-disposition': `attachment; filename="${report.name}.csv"` })
      reply.send(table)
      return undefined
    },
  }))

const csvHeaders = {
  'content-type': 'text/csv; charset=utf-8; header=present',
  'cache-control': 'private, no-store',
} as const

const reportView = (report: Report, caller: Caller, query: ReportQuery): ListingView => ({
  key: JSON.stringify(['report', report.name, visibilityKeyOf(report.summed, caller), query]),
  caller,
  resources: resourcesAffectingReport(report, caller, query),
  read: async (reads) => JSON.stringify(serializeReport(await runReport(report, caller, query, reads))),
})

const serializeReport = ({ groups, totalGroups, total, timeZone }: ReportResult) => ({
  result: { groups, totalGroups, total, timeZone },
})

/** An incomplete table would be added up wrongly, so it is rejected. */
function csvOf(
  { measures }: Report,
  { groupBy, limit }: ReportQuery,
  { groups, totalGroups }: ReportResult,
): string {
  if (totalGroups > groups.length) {
    const message = `There are ${totalGroups} groups, more than the limit of ${limit}. Narrow the report, or group by less.`
    throw invalid({ groupBy: [message] })
  }
  const head = groupBy.flatMap((grouping) =>
    isTimeGrouping(grouping) ? [grouping] : [`${grouping}Id`, grouping],
  )
  const lines = groups.map((group) => [
    ...groupBy.flatMap((grouping) => {
      const value = group[grouping] as string | { readonly id: string; readonly name: string | null }
      return typeof value === 'object' ? [value.id, value.name] : [value]
    }),
    ...measures.map(({ name }) => group[name]),
  ])
  return csvHeader([...head, ...measures.map(({ name }) => name)]) + lines.map(csvLine).join('')
}

const reportParameters = ({ summed, dateColumn }: Report): Parameter[] => [
  {
    name: 'groupBy',
    description: `1 to ${groupingsMax} of ${groupings.join(', ')}, separated by commas; groups are sorted in this order.`,
    required: true,
    schema: someText,
  },
  ...['dateFrom', 'dateTo'].map((name) => ({
    name,
    description: `Only ${summed.pluralNoun} whose ${dateColumn} is ${name === 'dateFrom' ? 'on this day or later' : 'before this day'}, in the time zone.`,
    schema: { type: 'string', format: 'date' },
  })),
  {
    name: 'timeZone',
    description:
      'The time zone in which days, weeks and months begin: UTC, or a name of the IANA database such as Europe/Berlin.',
    schema: { ...someText, default: 'UTC' },
  },
  ...Object.keys(entityFilters).map((name) => ({
    name,
    description: `Only rows with this ${capitalize(name)}.`,
    schema: uuid.schema,
  })),
  {
    name: 'limit',
    description: 'The maximum number of groups returned; the total covers all groups.',
    schema: { type: 'integer', minimum: 1, maximum: groupsMax, default: groupsMax },
  },
]

const entityGroupSchema: Schema = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { ...uuid.schema, description: 'Its id.' },
    name: { type: ['string', 'null'], description: 'Null if the caller may not see it.' },
  },
}

const timeGroupSchemas: Readonly<Record<string, Schema>> = {
  week: { type: 'string', format: 'date', description: 'The Monday on which the week begins.' },
  month: { type: 'string', description: 'Year and number, such as 2026-01.' },
}

export const reportSchemas: Readonly<Record<string, Schema>> = {
  ReportGroup: entityGroupSchema,
  ...Object.fromEntries(reports.map((report) => [`${capitalize(report.name)}Report`, reportSchema(report)])),
}

function reportSchema({ measures }: Report): Schema {
  const names = measures.map(({ name }) => name)
  const sums = Object.fromEntries(
    measures.map(({ name, column, description }) => [
      name,
      { ...(column ? { type: 'number', format: 'double' } : { type: 'integer' }), description },
    ]),
  )
  const groups = Object.fromEntries(
    groupings.map((name) => [name, isTimeGrouping(name) ? timeGroupSchemas[name] : ref('ReportGroup')]),
  )
  return resultSchema('The sums.', {
    groups: {
      type: 'array',
      description: 'One for each combination that has rows.',
      maxItems: groupsMax,
      items: { type: 'object', required: names, properties: { ...groups, ...sums } },
    },
    totalGroups: { type: 'integer', description: 'The total number, including those beyond the limit.' },
    total: { type: 'object', description: 'The total over all groups.', required: names, properties: sums },
    timeZone: {
      type: 'string',
      description: 'The time zone used.',
      examples: ['Europe/Berlin'],
    },
  })
}
