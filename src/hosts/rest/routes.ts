import { createLockouts } from '../../accounts/lockouts.ts'
import type { SignInMethods } from '../../accounts/sign-in.ts'
import {
  consentRoutes,
  consentSchemas,
  identityRoutes,
  identitySchemas,
  sessionRoutes,
  sessionSchemas,
} from '../../features/account-access.ts'
import {
  administratorRoutes,
  administratorSchemas,
  deactivationRoutes,
  deactivationSchemas,
} from '../../features/administrators.ts'
import {
  assignmentKeyRoute,
  assignmentOrderRoute,
  assignmentOrderSchemas,
} from '../../features/assignments.ts'
import type { Files } from '../../features/attachments/files.ts'
import { attachmentRoutes } from '../../features/attachments/routes.ts'
import { batchRoute, batchSchemas } from '../../features/batch.ts'
import { calendarRoute } from '../../features/calendar.ts'
import type { FeedStreams } from '../../features/changes/feed-streams.ts'
import type { LiveListings } from '../../features/changes/live-listings.ts'
import { feedRoute, feedSchemas, peopleRoute, removedRoute } from '../../features/changes/routes.ts'
import { clientRoutes, clientSchemas } from '../../features/clients/routes.ts'
import { exportRoutes } from '../../features/exports.ts'
import { differenceRoute, historyRoute, historySchemas } from '../../features/history/routes.ts'
import { linkRoutes, linkSchemas } from '../../features/links/routes.ts'
import { mcpRoutes, mcpSchemas, toolsOf } from '../../features/mcp.ts'
import { notificationRoutes, notificationSchemas } from '../../features/notifications/routes.ts'
import { watchRoutes, watchSchemas } from '../../features/notifications/watching.ts'
import {
  accountRoutes,
  accountSchemas,
  accountSettingsRoutes,
  accountSettingsSchemas,
} from '../../features/own-account.ts'
import { queryPageSchema, queryRoute, queryRowSchema } from '../../features/queries.ts'
import { reportRoutes, reportSchemas } from '../../features/reports/routes.ts'
import { timerRoutes, timerSchemas } from '../../features/timer.ts'
import { tokenRoutes, tokenSchemas } from '../../features/tokens.ts'
import { webhookRoutes, webhookSchemas } from '../../features/webhooks/routes.ts'
import type { AllowedReceivers } from '../../http/addresses.ts'
import type { Context } from '../../records/context.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { resourcesOf } from '../../resources/derived.ts'
import { person } from '../../resources/user.ts'
import { acceptPersonalAccessTokens, type Route } from '../../routes/route.ts'
import { idsSchemas, pageSchema, recordSchema, resourceSchemas, sharedSchemas } from '../../routes/schemas.ts'
import type { HostDocumentParts } from './openapi.ts'
import { resourceRoutes } from './resource-routes.ts'

/** Every route of the contract, in the order of the document. */
export const contractRoutes = (
  context: Context,
  live: LiveListings,
  declared: readonly Resource[] = resources,
): Route[] => [
  ...acceptPersonalAccessTokens(
    resourcesOf('v1', declared).flatMap((resource) => resourceRoutes(context, live, resource)),
  ),
  ...accountRoutes(createLockouts({ database: context.database })),
]

export function aboutContract(declared: readonly Resource[] = resources): HostDocumentParts {
  const contractResources = resourcesOf('v1', declared)
  return {
    title: 'Project tracking: REST',
    description:
      'Organizations, projects, assignments, appointments, impediments and the people who work on them.',
    tags: {
      ...Object.fromEntries(contractResources.map(({ pluralTitle, about = '' }) => [pluralTitle, about])),
      Account: 'The account that the token belongs to.',
    },
    errorName: 'Error',
    schemas: Object.assign(
      {},
      ...contractResources.map(resourceSchemas),
      idsSchemas,
      accountSchemas,
      sharedSchemas,
    ),
  }
}

export interface ExtensionParts {
  readonly live: LiveListings
  readonly feeds: FeedStreams
  readonly receivers: AllowedReceivers
  readonly files: Files
  readonly signInMethods: SignInMethods
  /** True if mails can be sent. */
  readonly hasMail: boolean
  /** The origin of the web client, for links to it. */
  readonly webOrigin: string | undefined
  /** The routes of the contract. Language models can call them as tools. */
  readonly contract: readonly Route[]
  readonly issuer: string
}

/** Everything beyond the contract: the paths under `/ext/`, in the order of the document. */
export function extensionRoutes(context: Context, parts: ExtensionParts): readonly Route[] {
  const { contract, issuer } = parts
  const routes = featureRoutes(context, parts)
  const schemas = { ...aboutContract().schemas, ...aboutExtensions.schemas }
  return [...routes, ...mcpRoutes({ tools: toolsOf([...contract, ...routes], schemas), issuer })]
}

const featureRoutes = (
  context: Context,
  { live, feeds, receivers, files, signInMethods, hasMail, webOrigin }: ExtensionParts,
): readonly Route[] => [
  ...acceptPersonalAccessTokens([
    peopleRoute(context, live),
    ...resources.map((resource) => removedRoute(context, live, resource)),
    ...resourcesOf('ext').flatMap((resource) => resourceRoutes(context, live, resource)),
    assignmentKeyRoute(),
    assignmentOrderRoute(),
    ...attachmentRoutes(files),
    ...resources.map((resource) => queryRoute(context, live, resource)),
    ...reportRoutes(context, live),
  ]),
  ...sessionRoutes,
  ...identityRoutes(signInMethods),
  ...consentRoutes,
  ...clientRoutes,
  ...tokenRoutes,
  ...administratorRoutes,
  ...deactivationRoutes,
  ...linkRoutes({ hasMail }),
  ...acceptPersonalAccessTokens([
    historyRoute(context),
    differenceRoute(context),
    batchRoute(context),
    feedRoute(context, feeds),
    ...exportRoutes(context),
  ]),
  calendarRoute(webOrigin),
  ...timerRoutes,
  ...accountSettingsRoutes,
  ...notificationRoutes(context, live),
  ...watchRoutes,
  ...webhookRoutes(receivers),
]

export const aboutExtensions: HostDocumentParts = {
  title: 'Project tracking: extensions',
  description: 'Extensions of the REST host, with the same tokens, limits and access rules as its contract.',
  tags: {
    ...Object.fromEntries(resourcesOf('ext').map(({ pluralTitle, about = '' }) => [pluralTitle, about])),
    People: 'The accounts that the caller shares a project with.',
    Removed: 'Removed records that can be restored.',
    Queries: 'Lists for programs, with filters, sorting, chosen fields and cursors.',
    Reports: 'Sums of hours and assignments.',
    Sessions: 'The sessions of an account.',
    Administrators: 'Administrators and deactivated accounts.',
    Links: 'Invitations, and links for new passwords.',
    Identities: 'The identities at external providers with which users sign in.',
    Consents: 'Consents that users have given to clients.',
    Clients: 'OAuth clients that users sign in to with their account.',
    Tokens: 'Personal access tokens, for programs.',
    History: 'The history of changes: the record, the caller and the time.',
    Batch: 'Many writes in one request.',
    Exports: 'Whole lists as files.',
    Calendar: 'Assignments in other calendars.',
    Settings: 'Settings of the caller’s account, the same on every device.',
    Timer: 'The running timer of the caller.',
    Notifications: 'Notifications of the caller.',
    Webhooks: 'Changes sent to a URL.',
    Models: 'The Model Context Protocol, for programs around language models.',
  },
  errorName: 'ErrorAnswer',
  schemas: {
    ...Object.fromEntries(
      [person, ...resources].flatMap((resource) => [
        [resource.title, recordSchema(resource)],
        [`${resource.title}Page`, pageSchema(resource.title)],
      ]),
    ),
    ...Object.assign({}, ...resourcesOf('ext').map(resourceSchemas)),
    ...idsSchemas,
    ...Object.fromEntries([
      ...[person, ...resources].map((resource) => [`${resource.title}QueryRow`, queryRowSchema(resource)]),
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
    ...notificationSchemas,
    ...webhookSchemas,
    ...timerSchemas,
    ...watchSchemas,
    ...assignmentOrderSchemas,
    ...accountSettingsSchemas,
    ...mcpSchemas,
    ...sharedSchemas,
  },
}
