import { createLockouts } from '../../accounts/lockouts.ts'
import type { LiveListings } from '../../features/changes/live-listings.ts'
import { accountRoutes, accountSchemas } from '../../features/own-account.ts'
import type { Context } from '../../records/context.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { resourcesOf } from '../../resources/derived.ts'
import { acceptTokens, type Route } from '../../routes/route.ts'
import { idsSchemas, resourceSchemas, sharedSchemas } from '../../routes/schemas.ts'
import type { HostDocumentParts } from './openapi.ts'
import { resourceRoutes } from './resource-routes.ts'

/** Every route of the contract, in the order of the document. */
export const contractRoutes = (
  context: Context,
  live: LiveListings,
  declared: readonly Resource[] = resources,
): Route[] => [
  ...acceptTokens(resourcesOf('v1', declared).flatMap((resource) => resourceRoutes(context, live, resource))),
  ...accountRoutes(createLockouts({ database: context.database })),
]

export function aboutContract(declared: readonly Resource[] = resources): HostDocumentParts {
  const served = resourcesOf('v1', declared)
  return {
    title: 'Project tracking: REST',
    description:
      'Organizations, projects, assignments, appointments, impediments and the people who work on them.',
    tags: {
      ...Object.fromEntries(served.map(({ pluralTitle, about = '' }) => [pluralTitle, about])),
      Account: 'The account that the token belongs to.',
    },
    errorName: 'Error',
    schemas: Object.assign({}, ...served.map(resourceSchemas), idsSchemas, accountSchemas, sharedSchemas),
  }
}
