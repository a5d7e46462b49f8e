import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Entity, entities, listPathOf, pathOf, resources } from '../contract/resources.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

const snapshotOf = async (name: string) =>
  JSON.parse(await readFile(join(import.meta.dirname, '..', '..', 'docs', 'contract', name), 'utf8'))

const contractAddress = '/swagger/v1/swagger.json'
const address = '/swagger/extensions.v1.json'

const removedPathOf = (entity: Entity) => `/ext/removed/${resources[entity].list}`
/** What is only read there. */
const queryPathOf = (entity: Entity) => `/ext/query/${resources[entity].list}`
const readPaths = ['/ext/people', ...entities.map(removedPathOf), ...entities.map(queryPathOf)]
/** The resources that the contract does not know, which have all its routes there. */
const own = entities.filter((entity) => resources[entity].root === '/ext')
const paths = [
  ...readPaths,
  ...own.flatMap((entity) => [pathOf(entity), listPathOf(entity), `${pathOf(entity)}/restore`]),
]

/** Tested in files of their own. */
const otherPaths = [
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
  '/ext/history',
  '/ext/changes',
  '/ext/project/difference',
  '/ext/webhooks',
  '/ext/webhook',
  ...['rotate', 'test', 'deliveries', 'replay'].map((name) => `/ext/webhook/${name}`),
  '/ext/batch',
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
  let rest: RestUnderTest
  // biome-ignore lint/suspicious/noExplicitAny: a document is what came over the network
  let document: any
  const get = (path: string, headers = {}) =>
    rest.call('GET', path, { token: rest.administrator.token, headers })

  before(async () => {
    rest = await startRestUnderTest()
    document = (await rest.call('GET', address)).body
  })
  after(() => rest.stop())

  test('serves exactly the reviewed document of its version 1', async () => {
    assert.deepEqual(document, await snapshotOf('extensions.v1.json'))
  })

  test('documents people, the removed rows and the queries of every list route, and every route of its own resources', () => {
    assert.deepEqual(Object.keys(document.paths).sort(), [...paths, ...otherPaths].sort())
    for (const path of readPaths) assert.deepEqual(Object.keys(document.paths[path]), ['get'])
    for (const entity of own) {
      assert.deepEqual(Object.keys(document.paths[pathOf(entity)]).sort(), ['delete', 'get', 'patch', 'post'])
      assert.deepEqual(Object.keys(document.paths[listPathOf(entity)]), ['get'])
      assert.deepEqual(Object.keys(document.paths[`${pathOf(entity)}/restore`]), ['post'])
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

  test('documents for removed rows the very keys of their list, and for people no column to sort by', async () => {
    const contract = await snapshotOf('rest.v1.json')
    const keysOf = ({ get: { parameters } }: { get: Operation }) =>
      parameters.filter((one) => one.in === 'query').map(({ name }) => name)
    for (const entity of entities) {
      const { paths: listPaths } = own.includes(entity) ? document : contract
      assert.deepEqual(keysOf(document.paths[removedPathOf(entity)]), keysOf(listPaths[listPathOf(entity)]))
    }
    assert.deepEqual(keysOf(document.paths['/ext/people']).sort(), [
      ...['ids', 'pageNumber', 'pageSize', 'search', 'sortOrder'],
    ])
  })

  test('leaves the document of the contract as it is, without a word of /ext/', async () => {
    const { body } = await rest.call('GET', contractAddress)
    assert.deepEqual(body, await snapshotOf('rest.v1.json'))
    assert.doesNotMatch(JSON.stringify(body), /\/ext\//)
  })

  test('has its own page next to /swagger, and each links to the other', async () => {
    const [contract, extensions] = await Promise.all([get('/swagger'), get('/swagger/extensions')])
    assert.equal(extensions.status, 200)
    assert.match(contract.body, /href="\/swagger\/extensions"/)
    assert.match(extensions.body, /href="\/swagger"/)
    for (const { body } of [contract, extensions]) {
      const [, choice = ''] = /<nav>(.*)<\/nav>/.exec(body) ?? []
      const titles = choice.replaceAll(/<[^>]*>/g, '')
      assert.equal(titles, 'Project tracking: REST · Project tracking: extensions')
    }
    const links = [...extensions.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link)
    for (const link of links) assert.equal((await get(link)).status, 200, link)
    const scripts = await Promise.all([get('/swagger/start.js'), get('/swagger/extensions/start.js')])
    assert.deepEqual(
      scripts.map(({ body }) => /url: '([^']+)'/.exec(body)?.[1]),
      [contractAddress, address],
    )
  })

  for (const path of paths)
    test(`wants an access token for ${path}`, async () => {
      const method = path.endsWith('/restore') ? 'POST' : 'GET'
      assertEnvelope(await rest.call(method, path), 401)
      assertEnvelope(await rest.call(method, path, { token: 'none' }), 401)
    })

  for (const path of readPaths) {
    test(`only reads at ${path}`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await rest.call(method, path, { token: rest.administrator.token })
        assertEnvelope(answer, 405)
        assert.match(answer.headers.get('allow') ?? '', /\bGET\b/)
      }
    })

    test(`answers ${path} with a tag that is good for this caller and this content`, async () => {
      const first = await get(path)
      assert.equal(first.status, 200)
      const tag = first.headers.get('etag') ?? ''
      assert.match(tag, /^"[\w-]+"$/)
      assert.match(first.headers.get('cache-control') ?? '', /private/)
      const again = await get(path, { 'if-none-match': tag })
      assert.deepEqual([again.status, again.body], [304, ''])
    })
  }

  test('has nothing else under its paths', async () => {
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
  let rest: RestUnderTest
  before(async () => {
    rest = await startRestUnderTest({ EXTENSIONS: 'off' })
  })
  after(() => rest.stop())

  test('every path under /ext/ is unknown, and so are its document and page', async () => {
    const { token } = rest.administrator
    for (const path of [...paths, address, '/swagger/extensions', '/swagger/extensions/start.js'])
      for (const method of ['GET', 'POST'])
        for (const call of [{}, { token }]) {
          const answer = await rest.call(method, path, call)
          assertEnvelope(answer, 404)
          assert.deepEqual(answer.body, (await rest.call(method, '/nothing', call)).body)
        }
    assert.doesNotMatch((await rest.call('GET', '/swagger')).body, /extensions/)
  })

  test('the contract is served as ever', async () => {
    assert.deepEqual((await rest.call('GET', contractAddress)).body, await snapshotOf('rest.v1.json'))
    assert.equal((await rest.call('GET', '/api/projects', { token: rest.administrator.token })).status, 200)
  })
})

test('The interface under /ext/ counts against the same limit of requests', async () => {
  const rest = await startRestUnderTest({
    RateLimit__Rest__PermitLimit: '2',
    RateLimit__Rest__QueueLimit: '0',
  })
  try {
    const { token } = rest.administrator
    await rest.call('GET', '/api/projects', { token })
    assert.equal((await rest.call('GET', '/ext/people', { token })).status, 200)
    const answer = await rest.call('GET', '/ext/removed/projects', { token })
    assertEnvelope(answer, 429)
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
  } finally {
    await rest.stop()
  }
})
