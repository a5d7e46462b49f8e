import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatEvent, openEventStream, wantsEventStream } from '../../http/event-stream.ts'
import type { Parameter, Schema } from '../../http/openapi.ts'
import type { Caller } from '../../model/caller.ts'
import { uuid } from '../../model/field-kinds.ts'
import { invalid } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { list, type Page, resourcesAffectingList } from '../../records/list.ts'
import { type ListQuery, pageSizeMax, parseListQuery, purposeOf } from '../../records/list-query.ts'
import { requireAccess } from '../../records/rights.ts'
import { type RowState, visibilityKeyOf } from '../../records/visible-rows.ts'
import { resourceNames } from '../../resources/all.ts'
import type { ListedResource, Resource } from '../../resources/define-resource.ts'
import { person } from '../../resources/user.ts'
import type { Route } from '../../routes/route.ts'
import { listKeys, ref, resultSchema, someText } from '../../routes/schemas.ts'
import type { FeedStreams, FeedTransport } from './feed-streams.ts'
import type { ListingView } from './listing.ts'
import { scopeOf } from './listing-scope.ts'
import type { LiveListings } from './live-listings.ts'
import { feedActions, parseFeedQuery, positionCharactersMax, readFeedPage } from './read-feed.ts'

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

export const feedSchemas: Readonly<Record<string, Schema>> = {
  ChangePage: resultSchema('One page.', {
    data: {
      type: 'array',
      items: ref('Change'),
      maxItems: pageSizeMax,
      description: 'In the order in which they became visible.',
    },
    cursor: {
      type: 'string',
      description: 'Pass it as `after` to get the next page. Set even if this page is empty.',
    },
    hasMore: { type: 'boolean', description: 'Whether more changes can be read immediately.' },
  }),
}

const parameters: readonly Parameter[] = [
  {
    name: 'after',
    description:
      'The `cursor` of the previous page, or `now` to get only future changes. If absent, starts at the oldest change that is kept.',
    schema: { type: 'string', maxLength: positionCharactersMax },
  },
  {
    name: 'resource',
    description: `Only changes of these resources, separated by commas: ${resourceNames.join(', ')}.`,
    schema: someText,
  },
  {
    name: 'action',
    description: `Only changes with these actions, separated by commas: ${feedActions.join(', ')}.`,
    schema: someText,
  },
  { name: 'projectId', description: 'Only changes in this project.', schema: uuid.schema },
  {
    name: 'pageSize',
    description: 'Changes in a page.',
    schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeMax },
  },
]

export const feedRoute = (context: Context, feeds: FeedStreams): Route => ({
  id: 'ReadChanges',
  tag: 'History',
  summary:
    'Lists every committed change that the caller may see, without gaps or duplicates, page by page with a cursor; with Accept: text/event-stream, as an endless stream that continues after Last-Event-ID.',
  description:
    'Changes come in the order in which they became visible, so that none is missed when a transaction commits late. Store the cursor together with the results of processing the page.',
  method: 'GET',
  path: '/ext/changes',
  parameters,
  response: ref('ChangePage'),
  events: {
    change: {
      description:
        'One change, as in a page. The id is a cursor: a stream opened with it as Last-Event-ID continues after it.',
      data: ref('Change'),
    },
  },
  errors: [400, 410, 503],
  async handle({ caller, session, request, reply }) {
    const isStream = wantsEventStream(request)
    const query = parseFeedQuery(
      request.query as Readonly<Record<string, unknown>>,
      isStream ? request.headers['last-event-id'] : undefined,
    )
    if (isStream) {
      await feeds.open(query, session, feedEvents(reply))
      return undefined
    }
    return { body: { result: await readFeedPage(context, caller, query) } }
  },
})

/** The feed as server-sent events, each with its cursor as its id. */
const feedEvents = (reply: FastifyReply): FeedTransport => ({
  eventOf: (change, cursor) => formatEvent({ event: 'change', data: JSON.stringify(change), id: cursor }),
  open(listeners) {
    const events = openEventStream(reply, listeners)
    return {
      send: (event) => events.send(event),
      // An id without data is no event, but a client that reconnects resumes from it.
      sendHeartbeat: (cursor, isNewCursor) =>
        isNewCursor ? void events.send(Buffer.from(`id: ${cursor}\n\n`)) : events.comment('still here'),
      // A client whose session has ended reconnects, and is rejected then.
      close: (problem) => events.close(problem?.kind === 'unauthenticated' ? undefined : problem?.message),
      closeForShutdown: () => events.closeForShutdown(),
    }
  },
})
