import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { status as grpcStatus } from '@grpc/grpc-js'
import { generateToken, linkTokenPrefix } from '../../src/accounts/token-text.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { creatable, entities, pascalCase, resources } from '../contract/resources.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { createPkce, type Fields, openBrowser, queryOf, requestOf, signedIn } from '../support/browser.ts'
import { assertAllReleased } from '../support/budgets-in-use.ts'
import { password } from '../support/cheap-passwords.ts'
import { type CommandCalls, openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { untilWaiting } from '../support/direct-connection.ts'
import { type FlakyStore, startFlakyStore } from '../support/flaky-store.ts'
import { insertAccount } from '../support/insert-account.ts'
import { origin, redirectUri, robot } from '../support/known-clients.ts'
import { openEventStream } from '../support/live-events.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { seed, type Workspace } from '../support/seed.ts'
import { serviceClientSettings } from '../support/service-clients.ts'

/** Deployed hosts wait for eight seconds. */
const answerMilliseconds = 1500
/** Callers are promised a response within this time. */
const answeredMillisecondsMax = 10_000

/**
 * All connections that two processes may have. Each of them may have 12 for transactions, 2 for batched
 * writes, 1 for reads, 5 for lists, 3 for live listings and 2 for exports.
 */
const connectionsOfTwoMax = 50

/** Adds the rows that `assertRecovered` writes. */
const afterRecovery = (rows: Record<string, unknown>[]) =>
  rows.map(({ writes, rows }) => ({ writes: Number(writes) + 2, rows: Number(rows) + 2 }))

describe('While the store', { concurrency: 1 }, () => {
  const budgets = openBudgets()
  const commandBudgets = openBudgets()
  let store: FlakyStore
  let rest: RestUnderTest
  let commands: CommandsUnderTest
  let calls: CommandCalls
  let workspace: Workspace
  let token: string

  before(async () => {
    store = await startFlakyStore({ answerMilliseconds, budgets })
    await insertAccount(store.database, { login: robot.login })
    const environment = { LOG_LEVEL: 'silent', METRICS: 'true', ...serviceClientSettings(robot) }
    rest = await startRestUnderTest(environment, { budgets, existingStore: store })
    workspace = await seed(rest)
    token = rest.administrator.token
    const options = { alongside: rest, budgets: commandBudgets, storeMilliseconds: answerMilliseconds }
    commands = await startCommandsUnderTest({ LOG_LEVEL: 'silent' }, options)
    calls = openCommandCalls(commands.target)
    await assertRecovered()
  })
  after(async () => {
    store?.thaw()
    calls?.close()
    await commands?.stop()
    await rest?.stop()
  })
  afterEach(() => {
    store.thaw()
    store.proxy.resume()
  })

  const call = (method: string, path: string, body?: unknown) =>
    rest.call(method, path, { token, ...(body !== undefined && { body }) })
  const createOrganization = (name: string) => call('POST', '/api/organization', { name })
  const command = (name: string, request: object) =>
    calls.call(name, request, { token: commands.administrator.token })

  /** Asserts that every host works without a restart. */
  async function assertRecovered() {
    assert.equal((await createOrganization('Still here')).status, 200)
    assert.equal((await call('GET', '/api/organizations')).status, 200)
    assert.equal((await command('ListProjects', { pagination: {} })).code, 0)
    assert.equal((await command('CreateOrganization', { name: 'Still here' })).code, 0)
    await rest.identity.signIn(rest.administrator.login)
    for (const address of [rest.address, rest.identity.address, commands.diagnostics])
      assert.equal((await fetch(`${address}/readyz`)).status, 200)
  }

  const countRows = async () =>
    rowsOf(
      `select (select count(*)::int from history) as writes, (select count(*)::int from organizations) as rows`,
    )

  const rowsOf = async (text: string): Promise<Record<string, unknown>[]> =>
    (await store.direct.query(text)).rows

  /** Asserts that each request is answered in time with 503 and Retry-After. */
  async function assertRejected(requests: readonly SentRequest[]) {
    const startedAt = performance.now()
    const answers = await Promise.all(
      requests.map(async ({ name, answer }) => {
        const { status, headers } = await answer
        const milliseconds = performance.now() - startedAt
        return { name, status, retryAfter: headers.get('retry-after'), milliseconds }
      }),
    )
    const unexpected = answers.filter(
      ({ status, retryAfter, milliseconds }) =>
        status !== 503 || !Number(retryAfter) || milliseconds > answeredMillisecondsMax,
    )
    assert.deepEqual(unexpected, [])
  }

  const requestEveryRoute = () =>
    restRequests().map(({ method, path, body }) => ({
      name: `${method} ${path}`,
      answer: call(method, path, body),
    }))

  async function assertCommandsRejected() {
    const startedAt = performance.now()
    const answers = await Promise.all(
      commandRequests().map(async ({ name, request }) => {
        const { code, metadata } = await command(name, request)
        const milliseconds = performance.now() - startedAt
        return { name, code, retryAfter: metadata.get('retry-after')[0], milliseconds }
      }),
    )
    const unexpected = answers.filter(
      ({ code, retryAfter, milliseconds }) =>
        code !== grpcStatus.UNAVAILABLE || !Number(retryAfter) || milliseconds > answeredMillisecondsMax,
    )
    assert.deepEqual(unexpected, [])
  }

  async function assertNotReady() {
    for (const address of [rest.address, rest.identity.address, commands.diagnostics]) {
      const startedAt = performance.now()
      assert.equal((await fetch(`${address}/readyz`)).status, 503)
      assert.equal((await fetch(`${address}/healthz`)).status, 200)
      assert.ok(performance.now() - startedAt < answeredMillisecondsMax)
    }
  }

  /** Asserts that every route of every host rejects its request. */
  async function assertAllRejected(identity: readonly SentRequest[]) {
    const opening = openEventStream(rest.address, '/api/projects', { token })
    const httpRejections = assertRejected([...requestEveryRoute(), ...identity])
    await Promise.all([httpRejections, assertCommandsRejected(), assertNotReady()])
    const { status, headers } = await opening
    assert.deepEqual([status, Number(headers['retry-after']) > 0], [503, true])
  }

  /** Prepares requests, and waits until idle connections are checked before they are used. */
  async function prepare() {
    const identity = await identityRequests(rest.identity.address, rest.administrator)
    await sleep(200)
    return { identity, rows: await countRows() }
  }

  test('is frozen, all hosts reject requests in time', async () => {
    await using live = await openEventStream(rest.address, '/api/organizations', { token })
    await live.next()
    const { identity, rows } = await prepare()
    const connections = store.proxy.connections()
    await store.freeze()
    await assertAllRejected(identity())
    // The hosts must not open a connection per request, because the store would have to accept all of them
    // when it recovers.
    assert.ok(store.proxy.connections() - connections < connectionsOfTwoMax)
    store.thaw()
    await assertRecovered()
    assert.deepEqual(await countRows(), afterRecovery(rows))
    await live.nextWhere(({ data }) => JSON.stringify(data).includes('Still here'))
    live.close()
    await assertAllReleased(budgets, commandBudgets)
  })

  test('is behind an interrupted network, all hosts reject requests in time', async () => {
    const { identity, rows } = await prepare()
    store.proxy.pause()
    await assertAllRejected(identity())
    store.proxy.resume()
    await assertRecovered()
    assert.deepEqual(await countRows(), afterRecovery(rows))
    await assertAllReleased(budgets, commandBudgets)
  })

  test('rejects connections, all hosts reject requests in time', async () => {
    const { identity, rows } = await prepare()
    await store.proxy.rejectConnections()
    await assertAllRejected(identity())
    await store.proxy.acceptConnections()
    await assertRecovered()
    assert.deepEqual(await countRows(), afterRecovery(rows))
    await assertAllReleased(budgets, commandBudgets)
  })

  for (const { event, vanish } of [
    { event: 'freezes', vanish: () => store.freeze() },
    {
      event: 'is cut off',
      vanish: () => store.proxy.rejectConnections().then(store.proxy.acceptConnections),
    },
  ])
    test(`${event} during a write, no client is asked to repeat it, and it is executed at most once`, async () => {
      const [restId, commandId] = await Promise.all([workspace.project(), workspace.project()])
      const holder = await store.connect()
      await holder.query('begin')
      for (const id of [restId, commandId])
        await holder.query('select from projects where id = $1 for update', [id])
      const { organizationId } = workspace
      const values = { name: 'Renamed', organizationId }
      const restUpdate = call('PATCH', '/api/project', { id: restId, ...values })
      const commandUpdate = command('UpdateProject', { id: commandId, ...values })
      await untilWaiting(store.direct, 2)
      await vanish()
      const [answer, { code, metadata }] = await Promise.all([restUpdate, commandUpdate])
      assertEnvelope(answer, 504)
      assert.equal(answer.headers.get('retry-after'), null)
      assert.deepEqual([code, metadata.get('retry-after')], [grpcStatus.UNKNOWN, []])
      store.thaw()
      await holder.query('commit')
      await holder.end()
      await assertRecovered()
      const [row] = await rowsOf(
        `select max(writes)::int as most from (select count(*) as writes from history where row_id in ('${restId}', '${commandId}') and action = 'update' group by row_id) as counted`,
      )
      assert.ok(Number(row?.most ?? 0) <= 1)
      await assertAllReleased(budgets, commandBudgets)
    })

  test('is cut off during a read, the read is answered nevertheless', async () => {
    const holder = await store.connect()
    await holder.query('begin; lock table organizations')
    const read = call('GET', `/api/organization?id=${workspace.organizationId}`)
    await untilWaiting(store.direct)
    await store.proxy.rejectConnections()
    await holder.query('rollback')
    await holder.end()
    await store.proxy.acceptConnections()
    assert.equal((await read).status, 200)
  })
})

const someId = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'

/** Returns one valid request for each command on a resource, with the name of the command. */
const commandRequests = (): readonly { readonly name: string; readonly request: object }[] =>
  entities.flatMap((entity) => {
    const { references, sample } = resources[entity]
    // The references differ, because an assignment cannot wait for itself.
    const ids = Object.fromEntries(
      Object.keys(references).map((name, index) => [name, someId.replace(/.$/, String(index))]),
    )
    const values = timestampsOf({ ...sample, ...ids, ...(entity === 'user' && { login: 'grace' }) })
    const name = pascalCase(entity)
    const requests = [
      { name: `Get${name}ById`, request: { id: someId } },
      { name: `List${pascalCase(resources[entity].list)}`, request: { pagination: {} } },
      { name: `Update${name}`, request: { id: someId, ...values } },
      { name: `Remove${name}`, request: { ids: [someId] } },
    ]
    return creatable.includes(entity) ? [{ name: `Create${name}`, request: values }, ...requests] : requests
  })

/** Converts timestamps to the form of protobuf messages. */
const timestampsOf = (values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      /Date$/.test(name) ? { seconds: String(Date.parse(value) / 1000), nanos: 0 } : value,
    ]),
  )

interface DocumentedRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: { readonly format?: string; readonly enum?: readonly string[] }
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}

const contract = join(import.meta.dirname, '..', '..', 'docs', 'contract')

/** Returns one request for each operation of a document, with its example and its required parameters. */
function documentedRequests(document: string): DocumentedRequest[] {
  const { paths } = JSON.parse(readFileSync(join(contract, document), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const query = new URLSearchParams(
        parameters
          .filter((parameter) => parameter.in === 'query' && parameter.required)
          .map((parameter) => [parameter.name, exampleOf(parameter)]),
      )
      const body = requestBody?.content['application/json']?.example
      return {
        method: method.toUpperCase(),
        path: query.size === 0 ? path : `${path}?${query}`,
        ...(body !== undefined && { body }),
      }
    }),
  )
}

const exampleOf = ({ name, schema }: Parameter): string =>
  schema.format === 'uuid' || name === 'ids' ? someId : (schema.enum?.[0] ?? '2026-01-05T00:00:00Z')

const secret = generateToken(linkTokenPrefix)

/** Replacements for the examples of the document that would be rejected before they reach the store. */
const replacements: Readonly<Record<string, Partial<DocumentedRequest>>> = {
  '/ext/reports/hours': { path: '/ext/reports/hours?groupBy=person' },
  '/ext/reports/assignments': { path: '/ext/reports/assignments?groupBy=project' },
  '/ext/history': { path: `/ext/history?projectId=${someId}` },
  '/ext/assignment/by-key': { path: '/ext/assignment/by-key?key=MBA-12' },
  '/ext/assignment/move': { body: { id: someId, afterId: null } },
  '/ext/invitations/read': { body: { secret } },
  '/ext/invitations/accept': { body: { secret, name: 'Ada', login: 'ada', password } },
  '/ext/password-links/use': { body: { secret, newPassword: password } },
}

/** These routes need no store themselves: tools for language models send requests to the other routes. */
const withoutStore: ReadonlySet<string> = new Set([
  '/ext/mcp',
  '/.well-known/oauth-protected-resource/ext/mcp',
])

/** Returns one valid request for each route of the REST host that needs the store. */
const restRequests = (): DocumentedRequest[] =>
  ['rest.v1.json', 'extensions.v1.json'].flatMap(documentedRequests).flatMap((request) => {
    const path = request.path.split('?')[0] as string
    // One export stands for all of them, because an account may only have a few waiting.
    const isRepeated = path.startsWith('/ext/export/') && !/projects$/.test(path)
    return isRepeated || withoutStore.has(path) ? [] : [{ ...request, ...replacements[path] }]
  })

interface SentRequest {
  readonly name: string
  readonly answer: Promise<{ readonly status: number; readonly headers: Headers }>
}

/**
 * Prepares the sessions and codes that the endpoints require. Returns a function that sends a request to each
 * endpoint.
 */
async function identityRequests(
  address: string,
  { login }: { readonly login: string },
): Promise<() => SentRequest[]> {
  const { browser, tokens } = await signedIn(address, { login })
  const pkce = createPkce()
  const callback = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
  const signedOutBrowser = openBrowser(address)
  const page = await signedOutBrowser.follow(
    await signedOutBrowser.get('/connect/authorize', requestOf(createPkce())),
  )
  const authRequest = queryOf(page).authRequest ?? ''
  const client = { client_id: robot.id, client_secret: robot.secret }
  const bearer = { authorization: `Bearer ${tokens.access_token}` }
  const webclient = { client_id: 'svc-webclient' }
  const { access_token, refresh_token, id_token } = tokens
  const get = (path: string, query?: Fields, headers?: Fields): SentRequest => ({
    name: `GET ${path}`,
    answer: browser.get(path, query, headers),
  })
  const post = (path: string, form: Fields, headers?: Fields, sender = browser): SentRequest => ({
    name: `POST ${path} ${form.grant_type ?? ''}`,
    answer: sender.post(path, form, headers),
  })
  return () => [
    get('/connect/authorize', requestOf(createPkce())),
    post('/connect/authorize', requestOf(createPkce())),
    post('/connect/token', {
      ...webclient,
      grant_type: 'authorization_code',
      code: queryOf(callback).code ?? '',
      redirect_uri: redirectUri,
      code_verifier: pkce.verifier,
    }),
    post('/connect/token', { ...webclient, grant_type: 'refresh_token', refresh_token }),
    post('/connect/token', { ...client, grant_type: 'client_credentials' }),
    post('/connect/revocation', { ...webclient, token: refresh_token }),
    post('/connect/introspect', { ...client, token: access_token }),
    get('/connect/userinfo', {}, bearer),
    post('/connect/userinfo', {}, bearer),
    {
      name: 'GET /connect/endsession',
      answer: browser.get('/connect/endsession', { id_token_hint: id_token }).then(browser.follow),
    },
    post('/api/account/login', { login, password, authRequest }, { origin }, signedOutBrowser),
    get('/ext/factors', {}, bearer),
    post('/ext/sign-in', { login, password, authRequest }, { origin: address }, signedOutBrowser),
  ]
}
