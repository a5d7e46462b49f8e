import type { Tracker } from '../../../operations/tracker.ts'
import { person } from '../../../resources/person.ts'
import { answerList } from '../answer-list.ts'
import type { LiveListings } from '../live-listings.ts'
import { listKeys, ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'

/** The names a member needs to read a project: who is behind every userId they meet. */
export const peopleRoute = (tracker: Tracker, live: LiveListings): Route => ({
  id: 'ListPeople',
  tag: person.pluralTitle,
  summary:
    'Lists active accounts that share a project with the caller, by name; all of them for administrators. With Accept: text/event-stream, as a live listing.',
  description: 'The names behind every userId that a member meets. Logins are neither shown nor searched.',
  method: 'GET',
  path: '/ext/people',
  parameters: listKeys(person),
  answer: ref(`${person.title}Page`),
  refusals: [400, 503],
  isConditional: true,
  isLive: true,
  handle: answerList(tracker, live, person),
})
