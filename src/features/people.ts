import type { Context } from '../records/context.ts'
import type { Resource } from '../resources/define-resource.ts'
import { person } from '../resources/user.ts'
import type { Route } from '../routes/route.ts'
import { listKeys, ref } from '../routes/schemas.ts'
import { answerList } from './changes/answer-list.ts'
import type { LiveListings } from './changes/live-listings.ts'

/** Resolves every userId in a project to a name that members may see. */
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
  answer: ref(`${person.title}Page`),
  errors: [400, 503],
  isConditional: true,
  isLive: true,
  handle: answerList(context, live, person),
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
  answer: ref(`${resource.title}Page`),
  errors: [400, 403, 503],
  isConditional: true,
  isLive: true,
  handle: answerList(context, live, resource, 'removed'),
})
