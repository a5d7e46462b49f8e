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
  const operation = (method: string, path: string) =>
    operations.find((one) => one.method === method && one.path === path)

  const rest = fixture(startRestUnderTest)
  const document = fixture(async () => (await rest.call('GET', '/swagger/v1/swagger.json')).body)
  before(async () => {
    operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ ...one, path, method: method.toUpperCase() })),
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

  test('names every operation once, readably, after its feature, under one tag', () => {
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

  test('knows exactly the routes of the contract', () => {
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
    const own = ['GET /api/me', 'PATCH /api/me', 'POST /api/me/password']
    assert.deepEqual(
      operations
        .map(({ method, path }) => `${method} ${path}`)
        .filter((route) => route.includes(' /api/'))
        .sort(),
      [...expected, ...own].sort(),
    )
  })

  test('names for every path the very methods that the host allows there', async () => {
    for (const path of new Set(operations.map((one) => one.path))) {
      const { status, headers } = await rest.call('PUT', path)
      assert.equal(status, 405, path)
      const allowed = headers.get('allow')?.split(/, */) ?? []
      const documented = operations.filter((one) => one.path === path).map(({ method }) => method)
      assert.deepEqual(
        allowed.filter((name) => !['HEAD', 'OPTIONS'].includes(name)).sort(),
        documented.sort(),
      )
    }
  })

  for (const [resource, own] of Object.entries(filters)) {
    test(`lists every query key of ${resource}, its filters included and no other`, () => {
      const keysOf = (path: string) =>
        (operation('GET', path)?.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
      assert.deepEqual(keysOf(`${pathOf(resource)}s`).sort(), [...paging, ...own].sort())
      assert.deepEqual(keysOf(pathOf(resource)), ['id'])
    })
  }

  test('lists every error status an operation may answer with', () => {
    const isUsers = (path: string) => /^\/api\/users?(\/|$)/.test(path)
    const extra: readonly (readonly [string, (one: Operation) => boolean])[] = [
      ['400', ({ method, path }) => method !== 'GET' || path !== '/api/me'],
      ['403', ({ method, path }) => !path.startsWith('/api/me') && (method !== 'GET' || isUsers(path))],
      ['404', ({ operationId }) => /^(Get|Update|Remove|Restore)(?!Own)/.test(operationId)],
      ['409', ({ operationId }) => /^(Create|Update|Remove|Restore)(?!Own)/.test(operationId)],
    ]
    const requiredOf = (one: Operation): string[] => [
      ...['200', '401', '429', '500'],
      ...extra.flatMap(([status, applies]) => (applies(one) ? [status] : [])),
    ]
    for (const one of operations) {
      const missing = requiredOf(one).filter((status) => !Object.hasOwn(one.responses, status))
      assert.deepEqual(missing, [], one.operationId)
    }
  })

  test('names the statuses of bodies that are too large or of another type', () => {
    for (const one of operations.filter(({ method }) => method !== 'GET'))
      for (const status of ['413', '415'])
        assert.ok(Object.hasOwn(one.responses, status), `${status} ${one.operationId}`)
  })

  test('describes the errors as the envelope and the calls as needing a bearer token', () => {
    const text = JSON.stringify(document)
    assert.match(text, /"statusCode"/)
    const schemes = Object.values<{ type: string; scheme?: string }>(document.components.securitySchemes)
    assert.ok(schemes.some(({ type, scheme }) => type === 'http' && scheme === 'bearer'))
  })

  test('promises no more and no less than what a record holds', async () => {
    const { token } = rest.administrator
    const { body } = await rest.call('POST', '/api/organization', { token, body: { name: 'Documented' } })
    const answer = operation('POST', '/api/organization')?.responses['200'] as {
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

describe('On the demo workspace, the example of docs/reading.md', () => {
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
    test(`${path}?${decodeURIComponent(String(query))} shows something`, async () => {
      const { status, body } = await rest.administrator.call('GET', `${path}?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok((body.result.data ?? body.result.groups).length > 0)
    })
})
