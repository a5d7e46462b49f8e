import type { Administrators } from '../../../accounts/administrators.ts'
import type { AllowedReceivers } from '../../../http/allowed-address.ts'
import type { FeedStreams } from '../../../live/feed-streams.ts'
import type { Tracker } from '../../../operations/tracker.ts'
import { resources, resourcesOf } from '../../../resources/all.ts'
import { person } from '../../../resources/person.ts'
import type { LiveListings } from '../live-listings.ts'
import type { About } from '../openapi.ts'
import { resourceRoutes } from '../resource-routes.ts'
import { pageSchema, recordSchema, resourceSchemas, sharedSchemas } from '../resource-schemas.ts'
import { forTokens, type Route } from '../route.ts'
import { administratorRoutes, administratorSchemas } from './administrator-routes.ts'
import { batchRoute } from './batch-route.ts'
import { batchSchemas } from './batch-schemas.ts'
import { clientRoutes, clientSchemas } from './client-routes.ts'
import { consentRoutes, consentSchemas } from './consent-routes.ts'
import { deactivationRoutes, deactivationSchemas } from './deactivation-routes.ts'
import { exportRoutes } from './export-routes.ts'
import { feedRoute, feedSchemas } from './feed-route.ts'
import { differenceRoute, historyRoute, historySchemas } from './history-routes.ts'
import { identityRoutes, identitySchemas } from './identity-routes.ts'
import { linkRoutes } from './link-routes.ts'
import { linkSchemas } from './link-schemas.ts'
import { peopleRoute } from './people-route.ts'
import { queryRoute } from './query-routes.ts'
import { queryPageSchema, queryRowSchema } from './query-schemas.ts'
import { removedRoute } from './removed-route.ts'
import { reportRoutes } from './report-routes.ts'
import { reportSchemas } from './report-schemas.ts'
import { sessionRoutes, sessionSchemas } from './session-routes.ts'
import { tokenRoutes, tokenSchemas } from './token-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { webhookSchemas } from './webhook-schemas.ts'

export interface ExtensionParts {
  readonly live: LiveListings
  readonly feeds: FeedStreams
  readonly receivers: AllowedReceivers
  readonly administrators: Administrators
  /** Whether people may sign in by password. */
  readonly passwords: boolean
  /** Whether mails can be sent. */
  readonly hasMail: boolean
}

/** What is added to the contract: every path under `/ext/`, in the order of the document. */
export const extensionRoutes = (
  tracker: Tracker,
  { live, feeds, receivers, administrators, passwords, hasMail }: ExtensionParts,
): Route[] => [
  ...forTokens([
    peopleRoute(tracker, live),
    ...resources.map((resource) => removedRoute(tracker, live, resource)),
    ...resourcesOf('ext').flatMap((resource) => resourceRoutes(tracker, live, resource)),
    ...resources.map((resource) => queryRoute(tracker, live, resource)),
    ...reportRoutes(tracker, live),
  ]),
  ...sessionRoutes(tracker),
  ...identityRoutes(tracker, { passwords }),
  ...consentRoutes(tracker),
  ...clientRoutes(tracker),
  ...tokenRoutes(tracker),
  ...administratorRoutes({ ...tracker, administrators }),
  ...deactivationRoutes(tracker),
  ...linkRoutes(tracker, { administrators, hasMail }),
  ...forTokens([
    historyRoute(tracker),
    differenceRoute(tracker),
    batchRoute(tracker),
    feedRoute(tracker, feeds),
    ...exportRoutes(tracker),
  ]),
  ...webhookRoutes(tracker, receivers),
]

export const aboutExtensions: About = {
  title: 'Project tracking: extensions',
  description:
    'What the REST host offers beyond its contract, under the same tokens, limits and access rules.',
  tags: {
    ...Object.fromEntries(resourcesOf('ext').map(({ pluralTitle, about = '' }) => [pluralTitle, about])),
    People: 'Accounts as their colleagues know them.',
    Removed: 'What was removed and can be restored.',
    Queries: 'Lists for programs: by filters, in any order, with chosen fields and cursors.',
    Reports: 'Sums of hours and assignments.',
    Sessions: 'Where an account is signed in.',
    Administrators: 'Who may do everything, and who may not sign in.',
    Links: 'Invitations, and new passwords for those who have lost theirs.',
    Identities: 'By which outside providers people sign in.',
    Consents: 'What people have allowed clients.',
    Clients: 'Apps in which people sign in with their account.',
    Tokens: 'What programs send instead of signing in.',
    History: 'Who changed what, and when.',
    Batch: 'Many writes in one request.',
    Exports: 'Whole lists as files.',
    Webhooks: 'Changes that are sent to an address.',
  },
  schemas: {
    ...Object.fromEntries(
      [person, ...resources].flatMap((listed) => [
        [listed.title, recordSchema(listed)],
        [`${listed.title}Page`, pageSchema(listed.title)],
      ]),
    ),
    ...Object.assign({}, ...resourcesOf('ext').map(resourceSchemas)),
    ...Object.fromEntries([
      ...[person, ...resources].map((listed) => [`${listed.title}QueryRow`, queryRowSchema(listed)]),
      ...resources.map((resource) => [`${resource.title}QueryPage`, queryPageSchema(resource)]),
    ]),
    ...reportSchemas,
    ...sessionSchemas,
    ...identitySchemas,
    ...consentSchemas,
    ...clientSchemas,
    ...tokenSchemas,
    ...administratorSchemas,
    ...deactivationSchemas,
    ...linkSchemas,
    ...historySchemas,
    ...batchSchemas,
    ...feedSchemas,
    ...webhookSchemas,
    ...sharedSchemas,
  },
}
