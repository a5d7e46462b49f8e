import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
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
import { listen } from '../support/live-events.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { seed, type Workspace } from '../support/seed.ts'
import { serviceClientSettings } from '../support/service-clients.ts'

/** Deployed hosts wait for eight seconds. */
const answerMilliseconds = 1500
/** The promise to callers. */
const answeredMillisecondsMax = 10_000

/**
 * All that two processes may have open: each 12 and 2 to write by, 1 to read, 5 for lists, 3 for live
 * listings, 2 for exports.
 */
const connectionsOfTwoMax = 50

/** What `goOn` writes. */
const writtenAfter = (rows: Record<string, unknown>[]) =>
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
    rest = await startRestUnderTest(environment, { budgets, ownStore: store })
    workspace = await seed(rest)
    token = rest.administrator.token
    const options = { alongside: rest, budgets: commandBudgets, storeMilliseconds: answerMilliseconds }
    commands = await startCommandsUnderTest({ LOG_LEVEL: 'silent' }, options)
    calls = openCommandCalls(commands.target)
    await goOn()
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

  /** Every host works, without having been started again. */
  async function goOn() {
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

  /** Each answered in its time: 503, and when to come back. */
  async function assertRejected(asked: readonly Asked[]) {
    const startedAt = performance.now()
    const answers = await Promise.all(
      asked.map(async ({ what, answer }) => {
        const { status, headers } = await answer
        return { what, status, again: headers.get('retry-after'), late: performance.now() - startedAt }
      }),
    )
    const wrong = answers.filter(
      ({ status, again, late }) => status !== 503 || !Number(again) || late > answeredMillisecondsMax,
    )
    assert.deepEqual(wrong, [])
  }

  const everyRoute = () =>
    restRequests().map(({ method, path, body }) => ({
      what: `${method} ${path}`,
      answer: call(method, path, body),
    }))

  async function assertCommandsRejected() {
    const startedAt = performance.now()
    const answers = await Promise.all(
      commandRequests().map(async ([name, request]) => {
        const { code, metadata } = await command(name, request)
        return { name, code, again: metadata.get('retry-after')[0], late: performance.now() - startedAt }
      }),
    )
    const wrong = answers.filter(
      ({ code, again, late }) => code !== 14 || !Number(again) || late > answeredMillisecondsMax,
    )
    assert.deepEqual(wrong, [])
  }

  async function assertNotReady() {
    for (const address of [rest.address, rest.identity.address, commands.diagnostics]) {
      const startedAt = performance.now()
      assert.equal((await fetch(`${address}/readyz`)).status, 503)
      assert.equal((await fetch(`${address}/healthz`)).status, 200)
      assert.ok(performance.now() - startedAt < answeredMillisecondsMax)
    }
  }

  /** Every route of every host. Nothing is written meanwhile, nor later. */
  async function assertAllRejected(identity: readonly Asked[]) {
    const opened = listen(rest.address, '/api/projects', { token })
    const asked = assertRejected([...everyRoute(), ...identity])
    await Promise.all([asked, assertCommandsRejected(), assertNotReady()])
    const { status, headers } = await opened
    assert.deepEqual([status, Number(headers['retry-after']) > 0], [503, true])
  }

  /** Later than connections are trusted without being asked. */
  async function inQuiet() {
    const identity = await identityRequests(rest.identity.address, rest.administrator)
    await sleep(200)
    return { identity, rows: await countRows() }
  }

  test('is frozen, all hosts say so in time, nothing is done, and all go on when it does', async () => {
    const live = await listen(rest.address, '/api/organizations', { token })
    await live.next()
    const { identity, rows } = await inQuiet()
    const connections = store.proxy.connections()
    await store.freeze()
    await assertAllRejected(identity())
    // Not one for each request, which the store would have to open when it goes on.
    assert.ok(store.proxy.connections() - connections < connectionsOfTwoMax)
    store.thaw()
    await goOn()
    assert.deepEqual(await countRows(), writtenAfter(rows))
    await live.nextWhere(({ data }) => JSON.stringify(data).includes('Still here'))
    live.close()
    await assertAllReleased(budgets, commandBudgets)
  })

  test('is behind a network that carries nothing, the same holds, and nothing is done when it does again', async () => {
    const { identity, rows } = await inQuiet()
    store.proxy.pause()
    await assertAllRejected(identity())
    store.proxy.resume()
    await goOn()
    assert.deepEqual(await countRows(), writtenAfter(rows))
    await assertAllReleased(budgets, commandBudgets)
  })

  test('rejects connections, the same holds', async () => {
    const { identity, rows } = await inQuiet()
    await store.proxy.shut()
    await assertAllRejected(identity())
    await store.proxy.open()
    await goOn()
    assert.deepEqual(await countRows(), writtenAfter(rows))
    await assertAllReleased(budgets, commandBudgets)
  })

  for (const [what, vanish] of [
    ['freezes', () => store.freeze()],
    ['is cut off', () => store.proxy.shut().then(store.proxy.open)],
  ] as const)
    test(`${what} in the middle of a write: no client is asked to send it again, and it is done at most once`, async () => {
      const [one, other] = await Promise.all([workspace.project(), workspace.project()])
      const holder = await store.connect()
      await holder.query('begin')
      for (const id of [one, other]) await holder.query('select from projects where id = $1 for update', [id])
      const { organizationId } = workspace
      const values = { name: 'Renamed', organizationId }
      const asked = call('PATCH', '/api/project', { id: one, ...values })
      const commanded = command('UpdateProject', { id: other, ...values })
      await untilWaiting(store.direct, 2)
      await vanish()
      const [answer, { code, metadata }] = await Promise.all([asked, commanded])
      assertEnvelope(answer, 504)
      assert.equal(answer.headers.get('retry-after'), null)
      assert.deepEqual([code, metadata.get('retry-after')], [2, []])
      store.thaw()
      await holder.query('commit')
      await holder.end()
      await goOn()
      const [row] = await rowsOf(
        `select max(writes)::int as most from (select count(*) as writes from history where row_id in ('${one}', '${other}') and action = 'update' group by row_id) as counted`,
      )
      assert.ok(Number(row?.most ?? 0) <= 1)
      await assertAllReleased(budgets, commandBudgets)
    })

  test('is cut off in the middle of a read, the reader is answered all the same', async () => {
    const holder = await store.connect()
    await holder.query('begin; lock table organizations')
    const asked = call('GET', `/api/organization?id=${workspace.organizationId}`)
    await untilWaiting(store.direct)
    await store.proxy.shut()
    await holder.query('rollback')
    await holder.end()
    await store.proxy.open()
    assert.equal((await asked).status, 200)
  })
})

const someId = '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'

/** One good request for each command on a resource, by the name of the command. */
const commandRequests = (): readonly (readonly [string, object])[] =>
  entities.flatMap((entity) => {
    const { references, sample } = resources[entity]
    // An assignment cannot wait for itself.
    const ids = Object.fromEntries(
      Object.keys(references).map((name, index) => [name, someId.replace(/.$/, String(index))]),
    )
    const values = timestampsOf({ ...sample, ...ids, ...(entity === 'user' && { login: 'grace' }) })
    const name = pascalCase(entity)
    return [
      ...(creatable.includes(entity) ? [[`Create${name}`, values] as const] : []),
      [`Get${name}ById`, { id: someId }],
      [`List${pascalCase(resources[entity].list)}`, { pagination: {} }],
      [`Update${name}`, { id: someId, ...values }],
      [`Remove${name}`, { ids: [someId] }],
    ] as const
  })

/** Commands take timestamps as protobuf messages have them. */
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

/** One request for each operation of a document, with its example and what it requires. */
function documentedRequests(document: string): DocumentedRequest[] {
  const { paths } = JSON.parse(readFileSync(join(contract, document), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const query = new URLSearchParams(
        parameters.flatMap((one) => (one.in === 'query' && one.required ? [[one.name, exampleOf(one)]] : [])),
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

/** Where the example of the document does not come as far as the store. */
const better: Readonly<Record<string, Partial<DocumentedRequest>>> = {
  '/ext/reports/hours': { path: '/ext/reports/hours?groupBy=person' },
  '/ext/reports/assignments': { path: '/ext/reports/assignments?groupBy=project' },
  '/ext/history': { path: `/ext/history?projectId=${someId}` },
  '/ext/assignment/by-key': { path: '/ext/assignment/by-key?key=MBA-12' },
  '/ext/assignment/move': { body: { id: someId, afterId: null } },
  '/ext/invitations/read': { body: { secret } },
  '/ext/invitations/accept': { body: { secret, name: 'Ada', login: 'ada', password } },
  '/ext/password-links/use': { body: { secret, newPassword: password } },
}

/** These need no store themselves: the tools of models are requests to the other routes. */
const withoutStore: ReadonlySet<string> = new Set([
  '/ext/mcp',
  '/.well-known/oauth-protected-resource/ext/mcp',
])

/** One good request for each route of the REST host that needs the store. */
const restRequests = (): DocumentedRequest[] =>
  ['rest.v1.json', 'extensions.v1.json'].flatMap(documentedRequests).flatMap((request) => {
    const path = request.path.split('?')[0] as string
    // All exports are one route for each list, and an account may have a few waiting.
    const isRepeated = path.startsWith('/ext/export/') && !/projects$/.test(path)
    return isRepeated || withoutStore.has(path) ? [] : [{ ...request, ...better[path] }]
  })

interface Asked {
  readonly what: string
  readonly answer: Promise<{ readonly status: number; readonly headers: Headers }>
}

/** Prepares whatever the endpoints want to see, and returns how to ask each of them once. */
async function identityRequests(
  address: string,
  { login }: { readonly login: string },
): Promise<() => Asked[]> {
  const { browser, tokens } = await signedIn(address, { login })
  const pkce = createPkce()
  const callback = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
  const stranger = openBrowser(address)
  const page = await stranger.follow(await stranger.get('/connect/authorize', requestOf(createPkce())))
  const authRequest = queryOf(page).authRequest ?? ''
  const client = { client_id: robot.id, client_secret: robot.secret }
  const bearer = { authorization: `Bearer ${tokens.access_token}` }
  const webclient = { client_id: 'svc-webclient' }
  const { access_token, refresh_token, id_token } = tokens
  const got = (path: string, query?: Fields, headers?: Fields, by = browser): Asked => ({
    what: `GET ${path}`,
    answer: by.get(path, query, headers),
  })
  const posted = (path: string, form: Fields, headers?: Fields, by = browser): Asked => ({
    what: `POST ${path} ${form.grant_type ?? ''}`,
    answer: by.post(path, form, headers),
  })
  return () => [
    got('/connect/authorize', requestOf(createPkce())),
    posted('/connect/authorize', requestOf(createPkce())),
    posted('/connect/token', {
      ...webclient,
      grant_type: 'authorization_code',
      code: queryOf(callback).code ?? '',
      redirect_uri: redirectUri,
      code_verifier: pkce.verifier,
    }),
    posted('/connect/token', { ...webclient, grant_type: 'refresh_token', refresh_token }),
    posted('/connect/token', { ...client, grant_type: 'client_credentials' }),
    posted('/connect/revocation', { ...webclient, token: refresh_token }),
    posted('/connect/introspect', { ...client, token: access_token }),
    got('/connect/userinfo', {}, bearer),
    posted('/connect/userinfo', {}, bearer),
    {
      what: 'GET /connect/endsession',
      answer: browser.get('/connect/endsession', { id_token_hint: id_token }).then(browser.follow),
    },
    posted('/api/account/login', { login, password, authRequest }, { origin }, stranger),
    got('/ext/factors', {}, bearer),
    posted('/ext/sign-in', { login, password, authRequest }, { origin: address }, stranger),
  ]
}
