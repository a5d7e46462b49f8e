import type { Tracker } from '../../../operations/tracker.ts'
import type { Resource } from '../../../resources/define-resource.ts'
import { answerList } from '../answer-list.ts'
import type { LiveListings } from '../live-listings.ts'
import { listKeys, ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'

/** What can be brought back with the resource's restore route. */
export const removedRoute = (tracker: Tracker, live: LiveListings, resource: Resource): Route => ({
  id: `ListRemoved${resource.pluralTitle}`,
  tag: 'Removed',
  summary: `Lists removed ${resource.pluralNoun} that the caller may restore, newest removal first; with Accept: text/event-stream, as a live listing.`,
  description:
    'What restoring would not refuse this caller. One that was removed with its parent is not listed: it comes back with that parent.',
  method: 'GET',
  path: `/ext/removed/${resource.plural}`,
  parameters: listKeys(resource, 'removed'),
  answer: ref(`${resource.title}Page`),
  refusals: [400, 403, 503],
  isConditional: true,
  isLive: true,
  handle: answerList(tracker, live, resource, 'removed'),
})
