import type { FastifyRequest } from 'fastify'
import { wantsEventStream } from '../../http/event-stream.ts'
import type { Caller } from '../../model/caller.ts'
import { invalid } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { list, type Page, resourcesAffectingList } from '../../records/list.ts'
import { type ListQuery, parseListQuery, purposeOf } from '../../records/list-query.ts'
import { requireAccess } from '../../records/rights.ts'
import { type RowState, visibilityKeyOf } from '../../records/visible-rows.ts'
import type { ListedResource, Resource } from '../../resources/define-resource.ts'
import { person } from '../../resources/user.ts'
import type { Route } from '../../routes/route.ts'
import { listKeys, ref } from '../../routes/schemas.ts'
import type { ListingView } from './listing.ts'
import { scopeOf } from './listing-scope.ts'
import type { LiveListings } from './live-listings.ts'

/** Handles a list route: returns a page, or opens a live listing for clients that request one. */
export const handleList =
  (
    context: Context,
    live: LiveListings,
    resource: ListedResource,
    state: RowState = 'active',
  ): Route['handle'] =>
  async ({ caller, session, request, reply }) => {
    // Checked before the query is parsed, so that callers without access get no other error.
    requireAccess(resource, caller, purposeOf(state))
    rejectAtKey(request)
    const query = parseListQuery(resource, request.query as Readonly<Record<string, unknown>>, state)
    if (wantsEventStream(request))
      return live.open(listView(context, resource, caller, query), { session, request, reply })
    const page = await list(context, resource, caller, query)
    return { json: serializePage(page), lastChangeSecond: page.lastChangeSecond }
  }

/**
 * Rejects the key `at` (read as of a past time) under `/ext/`: a list cannot do this, and would otherwise
 * silently return the current rows. v1 ignores `at` like every unknown key.
 */
export function rejectAtKey({ routeOptions: { url = '' }, query }: FastifyRequest): void {
  if (url.startsWith('/ext/') && (query as Readonly<Record<string, unknown>>).at !== undefined)
    throw invalid({ at: ['At is supported under /ext/query/ and when reading one row only.'] })
}

/** The view of one page of a list. Callers who see the same rows share a listing of the same query. */
export const listView = (
  context: Context,
  resource: ListedResource,
  caller: Caller,
  query: ListQuery,
): ListingView => ({
  key: JSON.stringify(['list', resource.name, visibilityKeyOf(resource, caller), query]),
  caller,
  resources: resourcesAffectingList(resource, caller, query),
  scope: scopeOf(
    resource,
    caller,
    {
      ...Object.fromEntries(Object.entries(query.idFilters).map(([name, id]) => [name, [id]])),
      ...(query.ids && { id: query.ids }),
    },
    { ofRemoved: query.state === 'removed' },
  ),
  read: async (limitedReads) => serializePage(await list(context, resource, caller, query, limitedReads)),
})

/**
 * Serializes a page as JSON, the same for the plain list and the events of a live listing. The records are JSON
 * already, so the other properties are appended to them without their opening brace.
 */
const serializePage = ({ recordsJson, totalCount, pageNumber, pageSize, totalPages }: Page): string =>
  `{"result":{"data":${recordsJson},${JSON.stringify({ totalCount, pageNumber, pageSize, totalPages }).slice(1)}}`

/** Lists accounts, so that clients can show a name for every userId in a project. */
export const peopleRoute = (context: Context, live: LiveListings): Route => ({
  id: 'ListPeople',
  tag: person.pluralTitle,
  summary:
    'Lists active accounts that share a project with the caller, by name; all of them for administrators. With Accept: text/event-stream, as a live listing.',
  description:
    'Resolves every userId that a member can see to a name. Logins are neither shown nor searched.',
  method: 'GET',
  path: '/ext/people',
  parameters: listKeys(person),
  response: ref(`${person.title}Page`),
  errors: [400, 503],
  isConditional: true,
  isLive: true,
  handle: handleList(context, live, person),
})

/** Lists the records that the restore route can bring back. */
export const removedRoute = (context: Context, live: LiveListings, resource: Resource): Route => ({
  id: `ListRemoved${resource.pluralTitle}`,
  tag: 'Removed',
  summary: `Lists removed ${resource.pluralNoun} that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing.`,
  description:
    'Lists only rows that this caller may restore. A row removed together with its parent is not listed: it is restored with that parent.',
  method: 'GET',
  path: `/ext/removed/${resource.plural}`,
  parameters: listKeys(resource, 'removed'),
  response: ref(`${resource.title}Page`),
  errors: [400, 403, 503],
  isConditional: true,
  isLive: true,
  handle: handleList(context, live, resource, 'removed'),
})
