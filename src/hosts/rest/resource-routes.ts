import type { LiveListings } from '../../features/changes/live-listings.ts'
import { handleList } from '../../features/changes/routes.ts'
import type { Parameter } from '../../http/openapi.ts'
import type { Deprecation } from '../../model/field.ts'
import { parseObject } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { create } from '../../records/create.ts'
import { get } from '../../records/get.ts'
import { remove, restore } from '../../records/remove.ts'
import { isAccountResource } from '../../records/rights.ts'
import { update } from '../../records/update.ts'
import type { Edition, Resource } from '../../resources/define-resource.ts'
import { isVersioned } from '../../resources/derived.ts'
import { describe } from '../../routes/describe-operations.ts'
import {
  etagOf,
  type Route,
  readIfMatchVersions,
  recordBody,
  rejectIfMatchHeader,
} from '../../routes/route.ts'
import { listKeys, recordResponseSchema, ref, someText, updateResponseSchema } from '../../routes/schemas.ts'

const roots: Readonly<Record<Edition, string>> = { v1: '/api', ext: '/ext' }

const pathOf = ({ shownIn, name }: Resource): string => `${roots[shownIn]}/${name}`

const listPathOf = ({ shownIn, plural }: Resource): string => `${roots[shownIn]}/${plural}`

type Query = Readonly<Record<string, unknown>>

/**
 * Returns the operations of a resource. There is no create if a separate route creates the rows. Writes use
 * the context of the exchange, which may belong to a transaction.
 */
export const resourceRoutes = (context: Context, live: LiveListings, resource: Resource): Route[] =>
  [
    ...(resource.withoutCreate ? [] : [createRoute(resource)]),
    getRoute(context, resource),
    listRoute(context, live, resource),
    updateRoute(resource),
    removeRoute(resource),
    restoreRoute(resource),
  ].map((route) => (isAccountResource(resource) ? { ...route, changesAccounts: true } : route))

const createRoute = (resource: Resource): Route => ({
  id: `Create${resource.title}`,
  tag: resource.pluralTitle,
  summary: `Creates one ${resource.noun}.`,
  description: describe.create(resource),
  method: 'POST',
  path: pathOf(resource),
  body: ref(`${resource.title}Create`),
  deprecatedFields: deprecatedFields(resource),
  response: recordResponseSchema(resource),
  errors: [400, 403, 409, 412],
  async handle({ context, caller, request }) {
    rejectIfMatchHeader(resource, request)
    const row = await create(context, resource, caller, request.body)
    return { body: recordBody(resource, row) }
  },
})

const getRoute = (context: Context, resource: Resource): Route => ({
  id: `Get${resource.title}`,
  tag: resource.pluralTitle,
  summary: `Shows one ${resource.noun}.`,
  description: describe.get(resource),
  method: 'GET',
  path: pathOf(resource),
  parameters: [
    {
      name: 'id',
      description: 'The id of the record.',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    },
    ...(resource.shownIn === 'ext' ? [asOfParameter] : []),
  ],
  response: recordResponseSchema(resource),
  errors: resource.shownIn === 'ext' ? [400, 403, 404, 410, 503] : [400, 403, 404],
  isConditional: true,
  async handle({ caller, request }) {
    const { id, at } = request.query as Query
    // `at` is an extension, so v1 ignores it like any unknown key.
    const selection = resource.shownIn === 'ext' ? { id, at } : { id }
    const { row, lastChange } = await get(context, resource, caller, selection)
    return { body: recordBody(resource, row), ...lastChange }
  },
})

const asOfParameter: Parameter = {
  name: 'at',
  description: 'A date and time: returns the row as of that instant, for callers who may see it now.',
  schema: someText,
}

const listRoute = (context: Context, live: LiveListings, resource: Resource): Route => ({
  id: `List${resource.pluralTitle}`,
  tag: resource.pluralTitle,
  summary: `Lists ${resource.pluralNoun}; with Accept: text/event-stream, as a live listing.`,
  description: describe.list(resource),
  method: 'GET',
  path: listPathOf(resource),
  parameters: listKeys(resource),
  response: ref(`${resource.title}Page`),
  errors: [400, 403, 503],
  isConditional: true,
  isLive: true,
  handle: handleList(context, live, resource),
})

const updateRoute = (resource: Resource): Route => ({
  id: `Update${resource.title}`,
  tag: resource.pluralTitle,
  summary: `Changes one ${resource.noun}.`,
  description: describe.update(resource),
  method: 'PATCH',
  path: pathOf(resource),
  body: ref(`${resource.title}Update`),
  deprecatedFields: deprecatedFields(resource),
  response: updateResponseSchema(resource),
  hasETag: true,
  hasPrecondition: true,
  errors: [400, 403, 404, 409, 412],
  async handle(exchange) {
    const { context, caller, request, reply } = exchange
    const versions = await readIfMatchVersions(context, resource, exchange, parseObject(request.body).id)
    const row = await update(context, resource, caller, request.body, versions)
    reply.header('etag', etagOf(resource, caller, row))
    // The contract has a `message` for versioned resources.
    return {
      body: { success: true, ...(isVersioned(resource) && { message: null }), ...recordBody(resource, row) },
    }
  },
})

const removeRoute = (resource: Resource): Route => ({
  id: `Remove${resource.title}`,
  tag: resource.pluralTitle,
  summary: `Removes ${resource.pluralNoun}, all or none.`,
  description: describe.remove(resource),
  method: 'DELETE',
  path: pathOf(resource),
  body: ref('IdList'),
  response: ref('Success'),
  hasPrecondition: true,
  errors: [400, 403, 404, 409, 412],
  async handle(exchange) {
    const { body } = exchange.request
    const versions = await readIfMatchVersions(exchange.context, resource, exchange, parseObject(body).ids)
    await remove(exchange.context, resource, exchange.caller, body, versions)
    return { body: { success: true } }
  },
})

const restoreRoute = (resource: Resource): Route => ({
  id: `Restore${resource.title}`,
  tag: resource.pluralTitle,
  summary: `Restores removed ${resource.pluralNoun}, all or none.`,
  description: describe.restore(resource),
  method: 'POST',
  path: `${pathOf(resource)}/restore`,
  body: ref('DistinctIdList'),
  response: ref('Success'),
  errors: [400, 403, 404, 409, 412],
  async handle({ context, caller, request }) {
    rejectIfMatchHeader(resource, request)
    await restore(context, resource, caller, request.body)
    return { body: { success: true } }
  },
})

const deprecatedFields = ({ fields }: Resource): Readonly<Record<string, Deprecation>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { deprecation }]) => (deprecation ? [[name, deprecation]] : [])),
  )
