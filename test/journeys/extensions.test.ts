import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import { resourcesOf } from '../../src/resources/derived.ts'
import { type Entity, entities, listPathOf, pathOf, resources } from '../contract/resources.ts'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { createPkce, openBrowser, queryOf, requestOf } from '../support/browser.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls } from '../support/dotnet-calls.ts'
import { startExternalProvider } from '../support/external-provider.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Answer, type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

const snapshotOf = async (name: string) =>
  JSON.parse(await readFile(join(import.meta.dirname, '..', '..', 'docs', 'contract', name), 'utf8'))

const contractAddress = '/swagger/v1/swagger.json'
const documentAddress = '/swagger/extensions.v1.json'

const removedPathOf = (entity: Entity) => `/ext/removed/${resources[entity].list}`
const queryPathOf = (entity: Entity) => `/ext/query/${resources[entity].list}`
/** The paths that only support GET. */
const readPaths = ['/ext/people', ...entities.map(removedPathOf), ...entities.map(queryPathOf)]
const extensionResources = entities.filter((entity) => resources[entity].root === '/ext')
/**
 * The paths of the resources of the extensions, and of the resources of v1 to which extensions add fields.
 */
const resourcePaths = [
  ...extensionResources.map((entity) => ({ record: pathOf(entity), list: listPathOf(entity) })),
  ...resourcesOf('ext')
    .filter(({ edition }) => edition === 'v1')
    .map(({ name, plural }) => ({ record: `/ext/${name}`, list: `/ext/${plural}` })),
]
const paths = [
  ...readPaths,
  ...resourcePaths.flatMap(({ record, list }) => [record, list, `${record}/restore`]),
]

/** Paths that other files test. */
const otherPaths = [
  '/ext/assignment/by-key',
  '/ext/assignment/move',
  '/ext/reports/hours',
  '/ext/reports/assignments',
  '/ext/sessions',
  '/ext/sessions/end-all',
  '/ext/tokens',
  '/ext/identities',
  '/ext/consents',
  '/ext/clients',
  '/ext/clients/secret',
  '/ext/administrators',
  '/ext/deactivations',
  '/ext/invitations',
  '/ext/invitations/read',
  '/ext/invitations/accept',
  '/ext/invitations/join',
  '/ext/invitations/mail',
  '/ext/password-links',
  '/ext/password-links/use',
  '/ext/password-links/mail',
  '/ext/calendar.ics',
  '/ext/history',
  '/ext/changes',
  '/ext/project/difference',
  '/ext/notifications',
  '/ext/webhooks',
  '/ext/webhook',
  '/ext/webhook/rotate',
  '/ext/webhook/test',
  '/ext/webhook/deliveries',
  '/ext/webhook/replay',
  '/ext/batch',
  '/ext/mcp',
  '/ext/settings',
  '/ext/timer',
  '/ext/watch',
  '/ext/timer/stop',
  '/.well-known/oauth-protected-resource/ext/mcp',
  '/ext/attachment/content',
  '/ext/export/people',
  ...entities.flatMap((entity) => [
    `/ext/export/${resources[entity].list}`,
    `/ext/export/removed/${resources[entity].list}`,
  ]),
]

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, unknown>>
}

describe('The interface under /ext/', { concurrency: true }, () => {
  const get = (path: string, headers = {}) => rest.administrator.call('GET', path, undefined, headers)

  const rest = fixture(startRestUnderTest)
  const document = fixture(async () => (await rest.call('GET', documentAddress)).body)

  test('has exactly the reviewed document of version 1', async () => {
    assert.deepEqual(document, await snapshotOf('extensions.v1.json'))
  })

  test('documents every route', () => {
    assert.deepEqual(Object.keys(document.paths).sort(), [...paths, ...otherPaths].sort())
    for (const path of readPaths) assert.deepEqual(Object.keys(document.paths[path]), ['get'])
    for (const { record, list } of resourcePaths) {
      assert.deepEqual(Object.keys(document.paths[record]).sort(), ['delete', 'get', 'patch', 'post'])
      assert.deepEqual(Object.keys(document.paths[list]), ['get'])
      assert.deepEqual(Object.keys(document.paths[`${record}/restore`]), ['post'])
    }
    const operations = Object.values<Record<string, Operation>>(document.paths).flatMap(
      Object.values<Operation>,
    )
    const ids = operations.map(({ operationId }) => operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const { operationId, tags, responses } of operations) {
      assert.match(operationId, /^([A-Z][a-z]+)+$/)
      assert.equal(tags.length, 1)
      for (const status of ['200', '400', '401', '429', '500'])
        assert.ok(Object.hasOwn(responses, status), `${operationId} ${status}`)
    }
  })

  test('documents the query keys of the list for removed rows', async () => {
    const contract = await snapshotOf('rest.v1.json')
    const keysOf = ({ get: { parameters } }: { get: Operation }) =>
      parameters.filter((record) => record.in === 'query').map(({ name }) => name)
    for (const entity of entities) {
      const list =
        document.paths[listPathOf(entity).replace('/api/', '/ext/')] ?? contract.paths[listPathOf(entity)]
      assert.deepEqual(keysOf(document.paths[removedPathOf(entity)]), keysOf(list))
    }
    assert.deepEqual(keysOf(document.paths['/ext/people']).sort(), [
      'ids',
      'pageNumber',
      'pageSize',
      'search',
      'sortOrder',
    ])
  })

  test('is not mentioned in the document of the contract', async () => {
    const { body } = await rest.call('GET', contractAddress)
    assert.deepEqual(body, await snapshotOf('rest.v1.json'))
    assert.doesNotMatch(JSON.stringify(body), /\/ext\//)
  })

  test('has its own documentation page', async () => {
    const [contract, extensions] = await Promise.all([get('/swagger'), get('/swagger/extensions')])
    assert.equal(extensions.status, 200)
    assert.match(contract.body, /href="\/swagger\/extensions"/)
    assert.match(extensions.body, /href="\/swagger"/)
    for (const { body } of [contract, extensions]) {
      const [, navigation = ''] = /<nav>(.*)<\/nav>/.exec(body) ?? []
      const titles = navigation.replaceAll(/<[^>]*>/g, '')
      assert.equal(titles, 'Project tracking: REST · Project tracking: extensions')
    }
    const links = [...extensions.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
    for (const link of links) assert.equal((await get(link)).status, 200, link)
    const scripts = await Promise.all([get('/swagger/start.js'), get('/swagger/extensions/start.js')])
    assert.deepEqual(
      scripts.map(({ body }) => /url: '([^']+)'/.exec(body)?.[1]),
      [contractAddress, documentAddress],
    )
  })

  for (const path of paths)
    test(`requires an access token for ${path}`, async () => {
      const method = path.endsWith('/restore') ? 'POST' : 'GET'
      assertEnvelope(await rest.call(method, path), 401)
      assertEnvelope(await rest.call(method, path, { token: 'none' }), 401)
    })

  for (const path of readPaths) {
    test(`allows only GET on ${path}`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await rest.administrator.call(method, path)
        assertEnvelope(answer, 405)
        assert.match(answer.headers.get('allow') ?? '', /\bGET\b/)
      }
    })

    test(`returns an ETag for ${path}`, async () => {
      const first = await get(path)
      assert.equal(first.status, 200)
      const tag = first.headers.get('etag') ?? ''
      assert.match(tag, /^"[\w-]+"$/)
      assert.match(first.headers.get('cache-control') ?? '', /private/)
      const again = await get(path, { 'if-none-match': tag })
      assert.deepEqual([again.status, again.body], [304, ''])
    })
  }

  test('responds with 404 on other paths under /ext/', async () => {
    for (const path of [
      '/ext',
      '/ext/',
      '/ext/person',
      '/ext/removed',
      '/ext/removed/people',
      '/ext/removed/project',
      '/ext/query',
      '/ext/query/people',
      '/ext/query/project',
    ])
      assertEnvelope(await get(path), 404)
  })
})

describe('With EXTENSIONS=off', () => {
  const rest = fixture(startRestUnderTest, { EXTENSIONS: 'off' })

  test('every path under /ext/ is unknown', async () => {
    const { token } = rest.administrator
    for (const path of [...paths, documentAddress, '/swagger/extensions', '/swagger/extensions/start.js'])
      for (const method of ['GET', 'POST'])
        for (const call of [{}, { token }]) {
          const answer = await rest.call(method, path, call)
          assertEnvelope(answer, 404)
          assert.deepEqual(answer.body, (await rest.call(method, '/nothing', call)).body)
        }
    assert.doesNotMatch((await rest.call('GET', '/swagger')).body, /extensions/)
  })

  test('no folder for files is created', async () => {
    assert.deepEqual(await readdir(rest.dataDirectory), [])
  })

  test('the contract is served as with the extensions', async () => {
    assert.deepEqual((await rest.call('GET', contractAddress)).body, await snapshotOf('rest.v1.json'))
    assert.equal((await rest.administrator.call('GET', '/api/projects')).status, 200)
  })
})

test('Requests under /ext/ and /api/ share one rate limit', async () => {
  await using rest = await startRestUnderTest({
    RateLimit__Rest__PermitLimit: '2',
    RateLimit__Rest__QueueLimit: '0',
  })
  const { token } = rest.administrator
  await rest.call('GET', '/api/projects', { token })
  assert.equal((await rest.call('GET', '/ext/people', { token })).status, 200)
  const answer = await rest.call('GET', '/ext/removed/projects', { token })
  assertEnvelope(answer, 429)
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
})

/** Returns the routes of the contract that require a token. */
async function routesOfContract(): Promise<readonly { readonly path: string; readonly method: string }[]> {
  const { paths } = await snapshotOf('rest.v1.json')
  return Object.entries<Readonly<Record<string, unknown>>>(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => ({ path, method: method.toUpperCase() })),
    )
    .filter(({ method }) => /^(GET|POST|PATCH|DELETE)$/.test(method))
}

describe('With EXTENSIONS=off on a store that has used them', () => {
  let address: string
  /** A personal access token that works wherever the extensions are on. */
  let secret: string
  const direct = fixture(startExternalProvider)
  const rest = fixture(startRestUnderTest)
  const commands = fixture(startCommandsUnderTest, { EXTENSIONS: 'off' }, { alongside: rest })
  before(async () => {
    ;({ secret } = await makeToken(rest, rest.administrator.token))
    ;({ address } = await rest.startAnother({ extensions: false }))
  })

  test('a personal access token is accepted by no route of the contract', async () => {
    assert.equal((await rest.call('GET', '/api/me', { token: secret })).status, 200)
    const routes = await routesOfContract()
    for (const { path, method } of routes) {
      const body = method === 'GET' ? {} : { body: {} }
      assertEnvelope(await send(address, method, path, { token: secret, ...body }), 401)
    }
    assert.ok(routes.length > 40, String(routes.length))
    const stream = await send(address, 'GET', '/api/projects', {
      token: secret,
      headers: { accept: 'text/event-stream' },
    })
    assert.equal(stream.status, 401)
  })

  test('a personal access token is accepted by no command, by gRPC or .NET', async () => {
    const [calls, dotnet] = [openCommandCalls(commands.target), openDotnetCalls(commands.target)]
    const { code } = await calls.call('ListOrganizations', { pagination: {} }, { token: secret })
    assert.equal(code, status.UNAUTHENTICATED)
    const answer = await dotnet.call('Organization', 'ListOrganizationsCommand', {}, { token: secret })
    assert.equal(answer.code, status.UNAUTHENTICATED)
    calls.close()
    dotnet.close()
  })

  test('the identity host has no providers, pages or routes beyond the contract', async () => {
    const identity = await rest.identity.startAnother({ EXTENSIONS: 'off', ...direct.settings('corp') })
    const browser = openBrowser(identity.address)
    for (const path of [
      '/ext/providers',
      '/ext/sign-in/with',
      '/ext/sign-in/from/corp',
      '/ext/connect',
      '/ext/signed-out/return',
      '/ext/sign-in',
      '/.well-known/oauth-authorization-server',
      '/swagger/extensions',
      '/swagger/extensions.v1.json',
    ]) {
      assert.equal((await browser.get(path)).status, 404, path)
      assert.equal((await browser.post(path, {}, { origin: identity.address })).status, 404, path)
    }
    const userInfo = await browser.get('/connect/userinfo', {}, { authorization: `Bearer ${secret}` })
    assert.equal(userInfo.status, 401)
    // The sign-in page of the web client gets no parameter beyond the contract.
    const hinted = requestOf(createPkce(), { login_hint: 'mara@example.com' })
    const page = await browser.follow(await browser.get('/connect/authorize', hinted))
    assert.deepEqual(Object.keys(queryOf(page)), ['authRequest'])
  })
})

/**
 * The tests run one after the other. Another write would make the host read the list again, and hide that it
 * has missed a change.
 */
describe('A list under /ext/ that is requested again after a change', () => {
  // The session of a user who is removed for a short time stays in the cache.
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '300' })
  const workspace = fixture(seed, rest)

  const get = (path: string, { token }: Person, headers: Readonly<Record<string, string>> = {}) =>
    rest.call('GET', path, { token, headers })
  const idsIn = ({ data }: Answer['body']['result']): string[] => data.map(({ id }: { id: string }) => id)

  /**
   * Repeats the request until its response has Last-Modified, which it has once all earlier transactions have
   * ended.
   */
  async function untilLastModified(path: string, by: Person): Promise<string> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const date = (await get(path, by)).headers.get('last-modified')
      if (date) return date
      await sleep(50)
    }
    throw new Error(`${path} has no Last-Modified after ten seconds.`)
  }

  /** Asserts that a request with a date that was sent before the change gets the new content. */
  async function assertVisible(path: string, by: Person, change: () => Promise<unknown>, expected: string[]) {
    const date = await untilLastModified(path, by)
    assert.equal((await get(path, by, { 'if-modified-since': date })).status, 304)
    await change()
    const { status, body } = await get(path, by, { 'if-modified-since': date })
    assert.equal(status, 200)
    assert.deepEqual(idsIn(body.result), expected)
  }

  const signUpTwo = () => Promise.all([rest.signUp({ name: 'Ann' }), rest.signUp({ name: 'Bob' })])

  test('shows a new member of a project, despite the If-Modified-Since of an earlier response', async () => {
    const [ann, bob] = await signUpTwo()
    const project = await workspace.project('Joined', ann)
    await assertVisible('/ext/people', ann, () => workspace.join(project, bob.id), [ann.id, bob.id])
  })

  test('shows a new name, despite the If-Modified-Since of an earlier response', async () => {
    const [ann, bob] = await signUpTwo()
    await workspace.join(await workspace.project('Renamed', ann), bob.id)
    const rename = () => workspace.write('PATCH', '/api/me', { name: 'Abel' }, bob)
    await assertVisible('/ext/people', ann, rename, [bob.id, ann.id])
  })

  test('shows a membership again after its account and project were restored', async () => {
    const path = '/ext/removed/assignments'
    const ann = await rest.signUp()
    const project = await workspace.project('Removed', ann)
    const task = await workspace.assignment(project, ann.id)
    await workspace.write('DELETE', '/api/assignment', { ids: [task] })
    await using live = await openEventStream(rest.address, path, { token: ann.token })
    const next = async () => idsIn((await live.next()).data.result)
    assert.deepEqual(await next(), [task])

    await workspace.write('DELETE', '/api/user', { ids: [ann.id] })
    assert.deepEqual(await next(), [])
    await workspace.write('DELETE', '/api/project', { ids: [project] })
    const restoreUser = () => workspace.write('POST', '/api/user/restore', { ids: [ann.id] })
    await assertVisible(path, ann, restoreUser, [task])
    assert.deepEqual(await next(), [task])

    await workspace.write('DELETE', '/api/user', { ids: [ann.id] })
    const restoreProject = () => workspace.write('POST', '/api/project/restore', { ids: [project] })
    await assertVisible(path, ann, restoreProject, [])
    assert.deepEqual(await next(), [])
  })
})
