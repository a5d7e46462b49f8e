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
const aging: Resource = {
  ...workflow,
  fields: { ...workflow.fields, order: deprecated(workflow.fields.order as never, ofField) },
}

describe('What is deprecated', () => {
  let app: FastifyInstance
  let setting: Awaited<ReturnType<typeof freshContext>>
  let routes: readonly Route[]
  before(async () => {
    setting = await freshContext()
    const { context, administrator } = setting
    const [create, ...others] = resourceRoutes(context, undefined as never, aging) as [Route, ...Route[]]
    routes = [create, ...others.map((route) => ({ ...route, deprecation: ofRoute }))]
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
    await setting.drop()
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

  test('as a route, is announced with every answer, errors too', async () => {
    const said = { since: '@1801440000', until: 'Thu, 01 Jun 2028 00:00:00 GMT' }
    assert.deepEqual(await call('DELETE', '/api/workflow', { ids: [] }), { status: 400, ...said })
    assert.deepEqual(await call('GET', '/api/workflow?id=x', undefined, {} as never), {
      status: 401,
      ...said,
    })
  })

  test('as a field, is announced to a request that names it, and to no other', async () => {
    const named = await call('POST', '/api/workflow', { name: 'Doing', order: 1 })
    assert.deepEqual(named, { status: 200, since: '@1801353600', until: 'Mon, 31 Jan 2028 00:00:00 GMT' })
    const other = await call('POST', '/api/workflow', { name: 'Doing' })
    assert.deepEqual(other, { status: 400, since: null, until: null })
  })

  test('of a route and a field, the one that ends first is named', async () => {
    const both = await call('PATCH', '/api/workflow', { id: 'x', name: 'Doing', order: 1 })
    assert.equal(both.until, 'Mon, 31 Jan 2028 00:00:00 GMT')
  })

  test('appears in the document: on the operation with its headers, and on the property', () => {
    const document = openApiOf(routes, {
      title: '',
      description: '',
      tags: {},
      errorName: 'Error',
      schemas: resourceSchemas(aging),
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

  test('does not start when its end is too early', () => {
    const route = { ...routes[0], deprecation: { ...ofRoute, until: '2027-12-31' } } as Route
    const registration = { context: setting.context, routes: [route] } as never
    assert.throws(
      () =>
        registerRoutes(createServer({ log: createLog({ level: 'silent' }), trustedHops: 0 }), registration),
      /CreateWorkflow: what is deprecated since 2027-02-01 works for 365 days more, and 2027-12-31 is too early\./,
    )
  })
})
