import type { FastifyReply } from 'fastify'
import { formatEvent, openEventStream, wantsEventStream } from '../../http/event-stream.ts'
import type { Parameter, Schema } from '../../http/openapi.ts'
import { uuid } from '../../model/field-kinds.ts'
import type { Context } from '../../records/context.ts'
import { pageSizeMax } from '../../records/list-query.ts'
import { resourceNames } from '../../resources/all.ts'
import type { Route } from '../../routes/route.ts'
import { ref, resultSchema, someText } from '../../routes/schemas.ts'
import type { FeedStreams, FeedTransport } from './feed-streams.ts'
import { feedActions, parseFeedQuery, positionCharactersMax, readFeedPage } from './read-feed.ts'

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
