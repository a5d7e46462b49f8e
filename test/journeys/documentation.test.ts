import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { seedDemoWorkspace } from '../../src/cli/demo-workspace.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { assertSecurityHeaders } from '../support/assertions.ts'
import { cheapPasswords } from '../support/cheap-passwords.ts'
import { fixture } from '../support/fixture.ts'
import { startRestUnderTest } from '../support/rest-host.ts'

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly path: string
  readonly method: string
}

const paging = ['ids', 'pageNumber', 'pageSize', 'search', 'sortColumn', 'sortOrder']
const filters: Readonly<Record<string, readonly string[]>> = {
  Appointment: ['assignmentId', 'dateFrom', 'dateTo', 'userId'],
  Assignment: ['dateFrom', 'dateTo', 'projectId', 'userId', 'workflowId'],
  AssignmentImpediment: ['assignmentId'],
  AssignmentType: [],
  Impediment: [],
  Organization: [],
  Project: ['organizationId'],
  User: [],
  UserAssignment: ['assignmentId', 'userId'],
  UserProject: ['projectId', 'userId'],
  Workflow: [],
}
const pathOf = (resource: string) => `/api/${resource[0]?.toLowerCase()}${resource.slice(1)}`
const snapshot = join(import.meta.dirname, '..', '..', 'docs', 'contract', 'rest.v1.json')

describe('The documentation', { concurrency: true }, () => {
  let operations: Operation[]
  const operationAt = (method: string, path: string) =>
    operations.find((operation) => operation.method === method && operation.path === path)

  const rest = fixture(startRestUnderTest)
  const document = fixture(async () => (await rest.call('GET', '/swagger/v1/swagger.json')).body)
  before(async () => {
    operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
      })),
    )
  })

  test('at /swagger is a page that loads everything from this host', async () => {
    const page = await rest.call('GET', '/swagger')
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assertSecurityHeaders(page.headers)
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
    assert.ok(links.length >= 2)
    for (const link of links) {
      assert.match(link, /^\/swagger\//)
      const { status, headers } = await rest.call('GET', link)
      assert.equal(status, 200, link)
      assertSecurityHeaders(headers)
    }
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /default-src 'self'|script-src [^;]*'self'/,
    )
  })

  test('serves exactly the reviewed contract of version 1', async () => {
    assert.deepEqual(document, JSON.parse(await readFile(snapshot, 'utf8')))
  })

  test('is an OpenAPI 3.1 document', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
  })

  test('has a unique id and one tag for every operation', () => {
    const ids = operations.map(({ operationId }) => operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^([A-Z][a-z]+)+$/)
    for (const { tags, operationId } of operations) assert.equal(tags.length, 1, operationId)
    for (const resource of Object.keys(filters)) {
      const named = ids.filter((id) => id.endsWith(resource) || id.endsWith(`${resource}s`))
      for (const verb of ['Create', 'Get', 'List', 'Update', 'Remove', 'Restore'])
        assert.ok(
          named.some((id) => id === `${verb}${resource}` || id === `${verb}${resource}s`),
          `${verb} ${resource}`,
        )
    }
  })

  test('has exactly the routes of the contract', () => {
    const expected = Object.keys(filters).flatMap((resource) => {
      const path = pathOf(resource)
      return [
        `POST ${path}`,
        `GET ${path}`,
        `GET ${path}s`,
        `PATCH ${path}`,
        `DELETE ${path}`,
        `POST ${path}/restore`,
      ]
    })
    const ownAccountRoutes = ['GET /api/me', 'PATCH /api/me', 'POST /api/me/password']
    assert.deepEqual(
      operations
        .map(({ method, path }) => `${method} ${path}`)
        .filter((route) => route.includes(' /api/'))
        .sort(),
      [...expected, ...ownAccountRoutes].sort(),
    )
  })

  test('has exactly the methods that the host allows for every path', async () => {
    for (const path of new Set(operations.map((operation) => operation.path))) {
      const { status, headers } = await rest.call('PUT', path)
      assert.equal(status, 405, path)
      const allowed = headers.get('allow')?.split(/, */) ?? []
      const documented = operations.filter((operation) => operation.path === path).map(({ method }) => method)
      assert.deepEqual(
        allowed.filter((name) => !['HEAD', 'OPTIONS'].includes(name)).sort(),
        documented.sort(),
      )
    }
  })

  for (const [resource, ownFilters] of Object.entries(filters)) {
    test(`has exactly the query keys of ${resource}, including its filters`, () => {
      const keysOf = (path: string) =>
        (operationAt('GET', path)?.parameters ?? [])
          .filter((parameter) => parameter.in === 'query')
          .map(({ name }) => name)
      assert.deepEqual(keysOf(`${pathOf(resource)}s`).sort(), [...paging, ...ownFilters].sort())
      assert.deepEqual(keysOf(pathOf(resource)), ['id'])
    })
  }

  test('has every status that an operation may respond with', () => {
    const isUsers = (path: string) => /^\/api\/users?(\/|$)/.test(path)
    const appliesTo: Readonly<Record<string, (operation: Operation) => boolean>> = {
      400: ({ method, path }) => method !== 'GET' || path !== '/api/me',
      403: ({ method, path }) => !path.startsWith('/api/me') && (method !== 'GET' || isUsers(path)),
      404: ({ operationId }) => /^(Get|Update|Remove|Restore)(?!Own)/.test(operationId),
      409: ({ operationId }) => /^(Create|Update|Remove|Restore)(?!Own)/.test(operationId),
    }
    const requiredOf = (operation: Operation): string[] => {
      const further = Object.keys(appliesTo).filter((status) => appliesTo[status]?.(operation))
      return ['200', '401', '429', '500', ...further]
    }
    for (const operation of operations) {
      const missing = requiredOf(operation).filter((status) => !Object.hasOwn(operation.responses, status))
      assert.deepEqual(missing, [], operation.operationId)
    }
  })

  test('has the statuses for bodies that are too large or of another type', () => {
    for (const operation of operations.filter(({ method }) => method !== 'GET'))
      for (const status of ['413', '415'])
        assert.ok(Object.hasOwn(operation.responses, status), `${status} ${operation.operationId}`)
  })

  test('describes the envelope of errors and the bearer token of requests', () => {
    const text = JSON.stringify(document)
    assert.match(text, /"statusCode"/)
    const schemes = Object.values<{ type: string; scheme?: string }>(document.components.securitySchemes)
    assert.ok(schemes.some(({ type, scheme }) => type === 'http' && scheme === 'bearer'))
  })

  test('describes exactly the properties of a record', async () => {
    const { token } = rest.administrator
    const { body } = await rest.call('POST', '/api/organization', { token, body: { name: 'Documented' } })
    const answer = operationAt('POST', '/api/organization')?.responses['200'] as {
      content: { 'application/json': { schema: { $ref: string } } }
    }
    const { schemas } = document.components
    const schemaOf = ({ $ref }: { readonly $ref: string }) => schemas[$ref.split('/').at(-1) ?? '']
    const schema = schemaOf(schemaOf(answer.content['application/json'].schema).properties.organization)
    assert.deepEqual(Object.keys(schema.properties).sort(), Object.keys(body.organization).sort())
  })
})

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reading.md'), 'utf8')
const examples = [...page.matchAll(/^GET (\/ext\/\S+?)\?(.*)$/gm)].map(([, path = '', keys = '']) => ({
  path,
  query: new URLSearchParams(keys.replaceAll('+', '%2B')),
}))

describe('In the demo workspace, the example of docs/reading.md', () => {
  const rest = fixture(startRestUnderTest)
  before(async () => {
    const { database, administrator } = rest
    await seedDemoWorkspace(
      {
        database,
        passwords: cheapPasswords(),
        budgets: openBudgets(),
        administrators: administratorsOf({ adminLogins: [] }),
      },
      administrator.id,
    )
  })

  assert.ok(examples.length >= 5)
  for (const { path, query } of examples)
    test(`${path}?${decodeURIComponent(String(query))} returns rows`, async () => {
      const hours = await rest.administrator.call('GET', '/ext/reports/hours?groupBy=project')
      const projectId = hours.body.result.groups[0].project.id
      const filled = String(query).replaceAll(encodeURIComponent('{id}'), projectId)
      const { status, body } = await rest.administrator.call('GET', `${path}?${filled}`)
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok((body.result.data ?? body.result.groups).length > 0)
    })
})
