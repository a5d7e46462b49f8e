import { requireRole } from '../../../access/require-write.ts'
import { viewOf } from '../../../access/visible-rows.ts'
import { wantsEventStream } from '../../../http/event-stream.ts'
import { concernOf } from '../../../live/concern.ts'
import type { Caller } from '../../../model/caller.ts'
import { invalid } from '../../../model/problem.ts'
import { type Query, readQuery } from '../../../operations/query/read-query.ts'
import { type QueryPage, resourcesBehind, runQuery } from '../../../operations/query/run-query.ts'
import type { Shown } from '../../../operations/query/shape.ts'
import { wantedReferences } from '../../../operations/query/wanted-references.ts'
import { withView } from '../../../operations/query/with-view.ts'
import { requireSettled } from '../../../operations/settled-moment.ts'
import type { Tracker } from '../../../operations/tracker.ts'
import type { Listed, Resource } from '../../../resources/define-resource.ts'
import { mayRead } from '../describe-operations.ts'
import type { View } from '../listing.ts'
import type { LiveListings } from '../live-listings.ts'
import { ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'
import { queryParameters } from './query-schemas.ts'

/** The list of any resource for programs: filters, several sort keys, chosen fields, parents, and cursors. */
export const queryRoute = (tracker: Tracker, live: LiveListings, resource: Resource): Route => ({
  id: `Query${resource.pluralTitle}`,
  tag: 'Queries',
  summary: `Reads ${resource.pluralNoun} by a filter, in any order, with chosen fields and the rows they refer to, now or as they were, page after page by a cursor; with Accept: text/event-stream, as a live listing.`,
  description: `${mayRead(resource)} The grammar of filters is in docs/reading.md; each part that is refused is named.`,
  method: 'GET',
  path: `/ext/query/${resource.plural}`,
  parameters: queryParameters(resource),
  answer: ref(`${resource.title}QueryPage`),
  refusals: [400, 403, 410, 503],
  isConditional: true,
  isLive: true,
  async handle({ caller, session, request, reply }) {
    // Before the query is read: people who may not ask do not learn what was wrong with the question.
    requireRole(resource, caller, 'read')
    const given = request.query as Readonly<Record<string, unknown>>
    const { keys, viewResources } = await withView(tracker, resource, caller, given)
    const query = readQuery(resource, caller, keys)
    if (wantsEventStream(request) && query.at !== undefined)
      throw invalid({ at: ['At cannot be followed: what was stays as it was.'] })
    if (wantsEventStream(request))
      return live.open(queryView(resource, caller, query), { session, request, reply })
    if (query.at !== undefined) await requireSettled(tracker.database, query.at)
    const page = await runQuery(resource, caller, query, tracker.database.listsAnywhere, viewResources)
    return { body: showQueryPage(page), lastChangeSecond: page.lastChangeSecond }
  },
})

/** Callers who see the same of every resource that is shown share a listing of the same query. */
const queryView = (listed: Listed, caller: Caller, query: Query): View => ({
  key: JSON.stringify(['query', query.question, query.asked, ...viewsOf(query.shown, caller)]),
  caller,
  resources: resourcesBehind(query.shown, caller),
  // What is referred to may change as well.
  concern:
    query.shown.expansions.length > 0 ? undefined : concernOf(listed, caller, wantedReferences(query.filter)),
  read: async (reads) => JSON.stringify(showQueryPage(await runQuery(listed, caller, query, reads))),
})

const viewsOf = ({ listed, expansions }: Shown, caller: Caller): readonly string[] => [
  viewOf(listed, caller),
  ...expansions.flatMap(({ shown }) => viewsOf(shown, caller)),
]

const showQueryPage = ({ rows, nextCursor, totalCount }: QueryPage) => ({
  result: { data: rows, nextCursor, ...(totalCount !== undefined && { totalCount }) },
})
