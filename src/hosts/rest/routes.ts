import { createLockouts } from '../../accounts/lockouts.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { resourcesOf } from '../../resources/all.ts'
import { accountRoutes, accountSchemas } from './account-routes.ts'
import type { LiveListings } from './live-listings.ts'
import type { About } from './openapi.ts'
import { resourceRoutes } from './resource-routes.ts'
import { resourceSchemas, sharedSchemas } from './resource-schemas.ts'
import { forTokens, type Route } from './route.ts'

/** Every route of the contract, in the order of the document. */
export const contractRoutes = (tracker: Tracker, live: LiveListings): Route[] => [
  ...forTokens(resourcesOf('v1').flatMap((resource) => resourceRoutes(tracker, live, resource))),
  ...accountRoutes(tracker, createLockouts({ database: tracker.database })),
]

export const aboutContract: About = {
  title: 'Project tracking: REST',
  description:
    'Organizations, projects, assignments, appointments, impediments and the people who work on them.',
  tags: {
    ...Object.fromEntries(resourcesOf('v1').map(({ pluralTitle, about = '' }) => [pluralTitle, about])),
    Account: 'The account that the token belongs to.',
  },
  schemas: Object.assign({}, ...resourcesOf('v1').map(resourceSchemas), accountSchemas, sharedSchemas),
}
