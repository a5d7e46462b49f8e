import { viewOf } from '../../../access/visible-rows.ts'
import { csvHead, csvLine } from '../../../http/csv.ts'
import { prefersToJson, wantsEventStream } from '../../../http/event-stream.ts'
import type { Caller } from '../../../model/caller.ts'
import { labelOf } from '../../../model/field.ts'
import { invalid } from '../../../model/problem.ts'
import { type ReportQuery, readReportQuery } from '../../../operations/reports/read-report-query.ts'
import { isTime, type Report, reports } from '../../../operations/reports/reports.ts'
import { resourcesBehind, runReport, type Sums } from '../../../operations/reports/run-report.ts'
import type { Tracker } from '../../../operations/tracker.ts'
import type { View } from '../listing.ts'
import type { LiveListings } from '../live-listings.ts'
import { ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'
import { reportParameters } from './report-schemas.ts'

/** Sums over what the caller may see. */
export const reportRoutes = (tracker: Tracker, live: LiveListings): Route[] =>
  reports.map((report) => ({
    id: `Report${labelOf(report.name)}`,
    tag: 'Reports',
    summary: `Sums of ${report.summed.pluralNoun} by groups; with Accept: text/csv as a table, with Accept: text/event-stream live.`,
    description: 'Only rows that the caller sees are summed. A table that would not be complete is refused.',
    method: 'GET',
    path: `/ext/reports/${report.name}`,
    parameters: reportParameters(report),
    answer: ref(`${labelOf(report.name)}Report`),
    refusals: [400, 503],
    isConditional: true,
    isLive: true,
    async handle({ caller, session, request, reply }) {
      const query = readReportQuery(request.query as Readonly<Record<string, unknown>>)
      if (wantsEventStream(request))
        return live.open(reportView(report, caller, query), { session, request, reply })
      const sums = await runReport(report, caller, query, tracker.database.listsAnywhere)
      if (!prefersToJson(request, 'text/csv'))
        return { body: showReport(sums), lastChangeSecond: sums.lastChangeSecond }
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

const reportView = (report: Report, caller: Caller, query: ReportQuery): View => ({
  key: JSON.stringify(['report', report.name, viewOf(report.summed, caller), query]),
  caller,
  resources: resourcesBehind(report, caller, query),
  read: async (reads) => JSON.stringify(showReport(await runReport(report, caller, query, reads))),
})

const showReport = ({ groups, totalGroups, total, timeZone }: Sums) => ({
  result: { groups, totalGroups, total, timeZone },
})

/** A table that is not complete would be added up wrongly, so it is refused. */
function csvOf({ measures }: Report, { groupBy }: ReportQuery, { groups, totalGroups }: Sums): string {
  if (totalGroups > groups.length) {
    const message = `There are ${totalGroups} groups, which are more than the limit of the table. Narrow it, or group by less.`
    throw invalid({ groupBy: [message] })
  }
  const head = groupBy.flatMap((grouping) => (isTime(grouping) ? [grouping] : [`${grouping}Id`, grouping]))
  const lines = groups.map((group) => [
    ...groupBy.flatMap((grouping) => {
      const value = group[grouping] as string | { readonly id: string; readonly name: string | null }
      return typeof value === 'object' ? [value.id, value.name] : [value]
    }),
    ...measures.map(({ name }) => group[name]),
  ])
  return csvHead([...head, ...measures.map(({ name }) => name)]) + lines.map(csvLine).join('')
}
