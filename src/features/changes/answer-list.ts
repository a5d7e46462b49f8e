import type { FastifyRequest } from 'fastify'
import { wantsEventStream } from '../../http/event-stream.ts'
import type { Caller } from '../../model/caller.ts'
import { invalid } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { list, type Page, resourcesAffectingList } from '../../records/list.ts'
import { type ListQuery, parseListQuery, requiredAccess } from '../../records/list-query.ts'
import { requireRole } from '../../records/rights.ts'
import { type RowState, viewKeyOf } from '../../records/visible-rows.ts'
import type { ListedResource } from '../../resources/define-resource.ts'
import type { Route } from '../../routes/route.ts'
import type { View } from './listing.ts'
import { scopeOf } from './listing-scope.ts'
import type { LiveListings } from './live-listings.ts'

/** Answers a list route with a page, or with a live listing for clients that request one. */
export const answerList =
  (
    context: Context,
    live: LiveListings,
    listed: ListedResource,
    state: RowState = 'active',
  ): Route['handle'] =>
  async ({ caller, session, request, reply }) => {
    // Checked before the query is parsed: callers without access learn nothing about their query.
    requireRole(listed, caller, requiredAccess(state))
    rejectAsOf(request)
    const query = parseListQuery(listed, request.query as Readonly<Record<string, unknown>>, state)
    if (wantsEventStream(request))
      return live.open(listView(context, listed, caller, query), { session, request, reply })
    const page = await list(context, listed, caller, query)
    return { json: serializePage(page), lastChangeSecond: page.lastChangeSecond }
  }

/** Beyond the contract, a key that this list would ignore but another supports is rejected. */
export function rejectAsOf({ routeOptions: { url = '' }, query }: FastifyRequest): void {
  if (url.startsWith('/ext/') && (query as Readonly<Record<string, unknown>>).at !== undefined)
    throw invalid({ at: ['At is supported under /ext/query/ and when reading one row only.'] })
}

/** A page of a list. Callers who see the same rows share a listing of the same query. */
export const listView = (
  context: Context,
  listed: ListedResource,
  caller: Caller,
  query: ListQuery,
): View => ({
  key: JSON.stringify(['list', listed.name, viewKeyOf(listed, caller), query]),
  caller,
  resources: resourcesAffectingList(listed, caller, query),
  scope: scopeOf(
    listed,
    caller,
    {
      ...Object.fromEntries(Object.entries(query.idFilters).map(([name, id]) => [name, [id]])),
      ...(query.ids && { id: query.ids }),
    },
    { ofRemoved: query.state === 'removed' },
  ),
  read: async (reads) => serializePage(await list(context, listed, caller, query, reads)),
})

/** Serializes a page as JSON, the same for the plain list and the events of a live listing. */
const serializePage = ({ records, totalCount, pageNumber, pageSize, totalPages }: Page): string =>
  `{"result":{"data":${records},${JSON.stringify({ totalCount, pageNumber, pageSize, totalPages }).slice(1)}}`
