import type { FastifyRequest } from 'fastify'
import { requireRole } from '../../access/require-write.ts'
import type { RowState } from '../../access/visible-rows.ts'
import { wantsEventStream } from '../../http/event-stream.ts'
import { invalid } from '../../model/problem.ts'
import { list } from '../../operations/list.ts'
import { purposeOf, readListQuery } from '../../operations/read-list-query.ts'
import type { Tracker } from '../../operations/tracker.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { listView } from './list-view.ts'
import type { LiveListings } from './live-listings.ts'
import type { Route } from './route.ts'
import { showPage } from './show-page.ts'

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
