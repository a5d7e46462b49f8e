import type { FastifyRequest } from 'fastify'
import { wantsEventStream } from '../../http/event-stream.ts'
import type { Caller } from '../../model/caller.ts'
import { invalid } from '../../model/problem.ts'
import type { Tracker } from '../../records/context.ts'
import { list, type Page } from '../../records/list.ts'
import { type ListQuery, purposeOf, readListQuery } from '../../records/list-query.ts'
import { requireRole } from '../../records/require-write.ts'
import { changesThatMatter, type RowState, viewOf } from '../../records/visible-rows.ts'
import type { Listed } from '../../resources/define-resource.ts'
import type { Route } from '../../routes/route.ts'
import { concernOf } from './concern.ts'
import type { View } from './listing.ts'
import type { LiveListings } from './live-listings.ts'

/** What answers a list route: a page, or a live listing for who asks for one. */
export const answerList =
  (tracker: Tracker, live: LiveListings, listed: Listed, state: RowState = 'active'): Route['handle'] =>
  async ({ caller, session, request, reply }) => {
    // Before the query is read: people who may not ask do not learn what was wrong with the question.
    requireRole(listed, caller, purposeOf(state))
    refuseMoment(request)
    const query = readListQuery(listed, request.query as Readonly<Record<string, unknown>>, state)
    if (wantsEventStream(request))
      return live.open(listView(tracker, listed, caller, query), { session, request, reply })
    const page = await list(tracker, listed, caller, query)
    return { json: showPage(page), lastChangeSecond: page.lastChangeSecond }
  }

/** Beyond the contract a key that would be ignored, and means something elsewhere, is refused. */
export function refuseMoment({ routeOptions: { url = '' }, query }: FastifyRequest): void {
  if (url.startsWith('/ext/') && (query as Readonly<Record<string, unknown>>).at !== undefined)
    throw invalid({ at: ['At is understood under /ext/query/ and by reading one row only.'] })
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

/** A page as JSON, as the plain list answers it; a live listing's events carry the same. */
const showPage = ({ records, totalCount, pageNumber, pageSize, totalPages }: Page): string =>
  `{"result":{"data":${records},${JSON.stringify({ totalCount, pageNumber, pageSize, totalPages }).slice(1)}}`
