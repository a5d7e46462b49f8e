import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { freshContext } from '../../../test/support/fresh-context.ts'
import { createModificationDates } from '../../db/modification-dates.ts'
import { createLog } from '../../http/log.ts'
import { createServer } from '../../http/server.ts'
import { type Deprecation, deprecated } from '../../model/field.ts'
import { unauthenticated } from '../../model/problem.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { resourcesOf } from '../../resources/derived.ts'
import type { Route } from '../../routes/route.ts'
import { resourceSchemas } from '../../routes/schemas.ts'
import { openApiOf } from './openapi.ts'
import { registerRoutes } from './register-routes.ts'
import { resourceRoutes } from './resource-routes.ts'

const ofField: Deprecation = { since: '2027-01-31', until: '2028-01-31', instead: 'Use the comments.' }
const ofRoute: Deprecation = { since: '2027-02-01', until: '2028-06-01', instead: 'Use GET /ext/weeks.' }

const workflow = resourcesOf('v1').find(({ name }) => name === 'workflow') as Resource
/** Simulates a deprecated field of the contract. */
const deprecatingWorkflow: Resource = {
  ...workflow,
  fields: { ...workflow.fields, order: deprecated(workflow.fields.order as never, ofField) },
}

describe('A deprecation', () => {
  let app: FastifyInstance
  let fresh: Awaited<ReturnType<typeof freshContext>>
  let routes: readonly Route[]
  before(async () => {
    fresh = await freshContext()
    const { context, administrator } = fresh
    const [createRoute, ...otherRoutes] = resourceRoutes(
      context,
      undefined as never,
      deprecatingWorkflow,
    ) as [Route, ...Route[]]
    routes = [createRoute, ...otherRoutes.map((route) => ({ ...route, deprecation: ofRoute }))]
    app = createServer({ log: createLog({ level: 'silent' }), trustedHops: 0 })
    registerRoutes(app, {
      context,
      authentication: {
        readiness: { name: 'tokens', check: async () => undefined },
        async authenticate(authorization) {
          if (authorization === undefined) throw unauthenticated()
          return { caller: administrator, isActiveNow: async () => true } as never
        },
      },
      modificationDates: createModificationDates(context.database),
      routes,
      sendsServerTiming: false,
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await app.close()
    await fresh.drop()
  })

  const address = () => app.listeningOrigin
  async function call(method: string, path: string, body?: unknown, headers = { authorization: 'Bearer x' }) {
    const response = await fetch(`${address()}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const [since, until] = ['deprecation', 'sunset'].map((name) => response.headers.get(name))
    return { status: response.status, since, until }
  }

  test('of a route is announced in every response, including errors', async () => {
    const announcement = { since: '@1801440000', until: 'Thu, 01 Jun 2028 00:00:00 GMT' }
    assert.deepEqual(await call('DELETE', '/api/workflow', { ids: [] }), { status: 400, ...announcement })
    assert.deepEqual(await call('GET', '/api/workflow?id=x', undefined, {} as never), {
      status: 401,
      ...announcement,
    })
  })

  test('of a field is announced to a request that names it', async () => {
    const withField = await call('POST', '/api/workflow', { name: 'Doing', order: 1 })
    assert.deepEqual(withField, { status: 200, since: '@1801353600', until: 'Mon, 31 Jan 2028 00:00:00 GMT' })
    // The request fails because `order` is required, but not because the field is deprecated.
    const withoutField = await call('POST', '/api/workflow', { name: 'Doing' })
    assert.deepEqual(withoutField, { status: 400, since: null, until: null })
  })

  test('that ends first is announced if both the route and a field are deprecated', async () => {
    const both = await call('PATCH', '/api/workflow', { id: 'x', name: 'Doing', order: 1 })
    assert.equal(both.until, 'Mon, 31 Jan 2028 00:00:00 GMT')
  })

  test('appears in the document: on the operation with its headers, and on the property', () => {
    const document = openApiOf(routes, {
      title: '',
      description: '',
      tags: {},
      errorName: 'Error',
      schemas: resourceSchemas(deprecatingWorkflow),
    })
    const text = JSON.stringify(document)
    const { paths, components } = JSON.parse(text)
    assert.equal(paths['/api/workflow'].get.deprecated, true)
    assert.match(
      paths['/api/workflow'].get.description,
      /^Deprecated since 2027-02-01, and gone after 2028-06-01\. Use GET \/ext\/weeks\. /,
    )
    assert.deepEqual(Object.keys(paths['/api/workflow'].get.responses[200].headers).slice(-2), [
      'Deprecation',
      'Sunset',
    ])
    assert.equal(paths['/api/workflow'].post.deprecated, undefined)
    for (const name of ['Workflow', 'WorkflowCreate', 'WorkflowUpdate']) {
      const { order } = components.schemas[name].properties
      assert.equal(order.deprecated, true)
      assert.match(order.description, /gone after 2028-01-31\. Use the comments\.$/)
    }
  })

  test('that ends too early prevents the start of the host', () => {
    const route = { ...routes[0], deprecation: { ...ofRoute, until: '2027-12-31' } } as Route
    const registration = { context: fresh.context, routes: [route] } as never
    assert.throws(
      () =>
        registerRoutes(createServer({ log: createLog({ level: 'silent' }), trustedHops: 0 }), registration),
      /CreateWorkflow: a deprecation since 2027-02-01 must last 365 days, so it cannot end on 2027-12-31\./,
    )
  })
})
