import type { FastifyRequest } from 'fastify'
import { wantsEventStream } from '../../http/event-stream.ts'
import type { Caller } from '../../model/caller.ts'
import { invalid } from '../../model/problem.ts'
import type { Tracker } from '../../records/context.ts'
import { list, type Page } from '../../records/list.ts'
import { type ListQuery, purposeOf, readListQuery } from '../../records/list-query.ts'
import { requireRole } from '../../records/rights.ts'
import { changesThatMatter, type RowState, viewOf } from '../../records/visible-rows.ts'
import type { Listed } from '../../resources/define-resource.ts'
import type { Route } from '../../routes/route.ts'
import { concernOf } from './concern.ts'
import type { View } from './listing.ts'
import type { LiveListings } from './live-listings.ts'

/** Answers a list route with a page, or with a live listing for clients that request one. */
export const answerList =
  (tracker: Tracker, live: LiveListings, listed: Listed, state: RowState = 'active'): Route['handle'] =>
  async ({ caller, session, request, reply }) => {
    // Checked before the query is parsed: callers without access learn nothing about their query.
    requireRole(listed, caller, purposeOf(state))
    refuseMoment(request)
    const query = readListQuery(listed, request.query as Readonly<Record<string, unknown>>, state)
    if (wantsEventStream(request))
      return live.open(listView(tracker, listed, caller, query), { session, request, reply })
    const page = await list(tracker, listed, caller, query)
    return { json: showPage(page), lastChangeSecond: page.lastChangeSecond }
  }

/** Beyond the contract, a key that this list would ignore but another supports is rejected. */
export function refuseMoment({ routeOptions: { url = '' }, query }: FastifyRequest): void {
  if (url.startsWith('/ext/') && (query as Readonly<Record<string, unknown>>).at !== undefined)
    throw invalid({ at: ['At is supported under /ext/query/ and when reading one row only.'] })
}

/** A page of a list. Callers who see the same rows share a listing of the same query. */
export const listView = (tracker: Tracker, listed: Listed, caller: Caller, query: ListQuery): View => ({
  key: JSON.stringify(['list', listed.name, viewOf(listed, caller), query]),
  caller,
  resources: changesThatMatter(listed, caller, query.state),
  concern: concernOf(
    listed,
    caller,
    {
      ...Object.fromEntries(Object.entries(query.relations).map(([name, id]) => [name, [id]])),
      ...(query.ids && { id: query.ids }),
    },
    { ofRemoved: query.state === 'removed' },
  ),
  read: async (reads) => showPage(await list(tracker, listed, caller, query, reads)),
})

/** Serializes a page as JSON, the same for the plain list and the events of a live listing. */
const showPage = ({ records, totalCount, pageNumber, pageSize, totalPages }: Page): string =>
  `{"result":{"data":${records},${JSON.stringify({ totalCount, pageNumber, pageSize, totalPages }).slice(1)}}`
