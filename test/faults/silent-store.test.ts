import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBudgets } from '../../src/config/budgets.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { assertAllGivenBack } from '../support/budgets-in-use.ts'
import { type CommandCalls, openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { commandRequests } from '../support/command-requests.ts'
import { restRequests } from '../support/documented-requests.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type Asked, identityRequests } from '../support/identity-requests.ts'
import { insertAccount } from '../support/insert-account.ts'
import { robot } from '../support/known-clients.ts'
import { listen } from '../support/live-events.ts'
import { untilWaiting } from '../support/outside-connection.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { serviceClientSettings } from '../support/service-clients.ts'
import { startUnsteadyStore, type UnsteadyStore } from '../support/unsteady-store.ts'

/** Deployed hosts wait for eight seconds. */
const answerMilliseconds = 1500
/** The promise to callers. */
const answeredMillisecondsMax = 10_000

/** All that two processes may have open: each 12 and 2 to write by, 1 to read, 5 for lists, 3 for live listings, 2 for exports. */
const connectionsOfTwoMax = 50

/** What `goOn` writes. */
const writtenAfter = (rows: Record<string, unknown>[]) =>
  rows.map(({ writes, rows }) => ({ writes: Number(writes) + 2, rows: Number(rows) + 2 }))

describe('While the store', { concurrency: 1 }, () => {
  const budgets = openBudgets()
  const commandBudgets = openBudgets()
  let store: UnsteadyStore
  let rest: RestUnderTest
  let commands: CommandsUnderTest
  let calls: CommandCalls
  let workspace: Workspace
  let token: string

  before(async () => {
    store = await startUnsteadyStore({ answerMilliseconds, budgets })
    await insertAccount(store.database, { login: robot.login })
    const environment = { LOG_LEVEL: 'silent', METRICS: 'true', ...serviceClientSettings(robot) }
    rest = await startRestUnderTest(environment, { budgets, ownStore: store })
    workspace = await furnish(rest)
    token = rest.administrator.token
    const options = { beside: rest, budgets: commandBudgets, storeMilliseconds: answerMilliseconds }
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
  async function assertRefused(asked: readonly Asked[]) {
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

  async function assertCommandsRefused() {
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
  async function assertAllRefused(identity: readonly Asked[]) {
    const opened = listen(rest.address, '/api/projects', { token })
    const asked = assertRefused([...everyRoute(), ...identity])
    await Promise.all([asked, assertCommandsRefused(), assertNotReady()])
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
    await assertAllRefused(identity())
    // Not one for each request, which the store would have to open when it goes on.
    assert.ok(store.proxy.connections() - connections < connectionsOfTwoMax)
    store.thaw()
    await goOn()
    assert.deepEqual(await countRows(), writtenAfter(rows))
    await live.nextWhere(({ data }) => JSON.stringify(data).includes('Still here'))
    live.close()
    await assertAllGivenBack(budgets, commandBudgets)
  })

  test('is behind a network that carries nothing, the same holds, and nothing is done when it does again', async () => {
    const { identity, rows } = await inQuiet()
    store.proxy.pause()
    await assertAllRefused(identity())
    store.proxy.resume()
    await goOn()
    assert.deepEqual(await countRows(), writtenAfter(rows))
    await assertAllGivenBack(budgets, commandBudgets)
  })

  test('rejects connections, the same holds', async () => {
    const { identity, rows } = await inQuiet()
    await store.proxy.shut()
    await assertAllRefused(identity())
    await store.proxy.open()
    await goOn()
    assert.deepEqual(await countRows(), writtenAfter(rows))
    await assertAllGivenBack(budgets, commandBudgets)
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
      await assertAllGivenBack(budgets, commandBudgets)
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
