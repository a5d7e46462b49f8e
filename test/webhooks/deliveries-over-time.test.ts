import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { sql } from '../../src/db/sql.ts'
import { createWebhookWorker, type WebhookWorker } from '../../src/features/webhooks/worker.ts'
import { allowedReceivers } from '../../src/http/addresses.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

const minute = 60_000
const hour = 60 * minute

function assertBetween(value: number | undefined, least: number, most: number) {
  assert.ok(
    value !== undefined && value >= least && value <= most,
    `${value} lies outside ${least} to ${most}`,
  )
}

describe('Deliveries', () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let receiver: Receiver
  let clock: number
  let paused: { webhook: string; because: string }[]
  const workerOf = (answerMilliseconds = 2000): WebhookWorker =>
    createWebhookWorker({
      database: rest.database,
      administrators: administratorsOf({ adminLogins: [rest.administrator.login] }),
      receivers: allowedReceivers([receiver.host]),
      requests: openBudgets().budget('webhookRequests'),
      onFailure: (error) => assert.fail(String(error)),
      onPaused: (details) => void paused.push(details),
      now: () => clock,
      answerMilliseconds,
    })
  before(async () => {
    receiver = await startReceiver()
    // Delivered by workers of this file, whose clock it moves.
    rest = await startRestUnderTest({ WEBHOOKS: 'off', WEBHOOK_RECEIVERS: receiver.host })
    workspace = await furnish(rest)
  })
  after(async () => {
    await rest.stop()
    await receiver.stop()
  })
  beforeEach(async () => {
    clock = Date.now()
    paused = []
    receiver.answer((response) => response.end())
    await rest.database.transaction((transaction) => transaction.query(sql`delete from webhooks`))
  })
  const call = async (method: string, path: string, body?: object) =>
    (await rest.call(method, path, { token: rest.administrator.token, ...(body && { body }) })).body
  const hook = async (): Promise<string> =>
    (await call('POST', '/ext/webhook', { url: receiver.url, resources: ['impediment'] })).webhook.id
  const shown = async () => (await call('GET', '/ext/webhooks')).webhooks[0]
  const countOf = (id: string) => receiver.messages.filter((one) => one.id.endsWith(id)).length
  const rename = (id: string, name: string) => workspace.write('PATCH', '/api/impediment', { id, name })

  test('that fail are tried again after growing waits, and paused with a notice after three days', async () => {
    const id = await hook()
    const worker = workerOf()
    receiver.answer((response) => response.writeHead(500).end('not today'))
    await workspace.make('impediment', { name: 'Never' })
    const began = clock
    const triedAt: number[] = []
    for (let tries = 0; (await shown()).active; clock += minute) {
      await worker.look()
      if (countOf(id) > tries) triedAt.push(clock - began)
      tries = countOf(id)
      // Long waits are skipped, up to just before they end.
      if (triedAt.length > 4) clock += 20 * minute
    }
    const waits = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0))
    assertBetween(triedAt.length, 10, 20)
    assertBetween(waits.at(-1), 7 * hour, 10 * hour)
    assertBetween(triedAt.at(-1), 72 * hour, 84 * hour)
    const { pausedBecause, pausedAt, waiting } = await shown()
    assert.match(pausedBecause, /three days, at last with the status 500/)
    assert.ok(pausedAt && waiting === 1)
    assert.deepEqual(paused, [{ webhook: id, because: pausedBecause }])
    const before = countOf(id)
    clock += 100 * hour
    await worker.look()
    assert.equal(countOf(id), before, 'nothing more is sent')
    // Resumed, it begins again, and the message arrives.
    receiver.answer((response) => response.end())
    clock = Date.now() + 1000
    await call('PATCH', '/ext/webhook', { id, active: true })
    await worker.look()
    assert.equal((await shown()).waiting, 0)
  })

  test('of a row wait for the one before, and those of other rows do not', async () => {
    const id = await hook()
    const worker = workerOf()
    const [bad, good] = [
      await workspace.make('impediment', { name: 'Bad 1' }),
      await workspace.make('impediment', { name: 'Good 1' }),
    ]
    await rename(bad.id, 'Bad 2')
    await rename(good.id, 'Good 2')
    const namesOf = () =>
      receiver.messages.filter((one) => one.id.endsWith(id)).map(({ body }) => body.data.after.name)
    receiver.answer((response, { body }) => response.writeHead(body.data.rowId === bad.id ? 503 : 204).end())
    await worker.look()
    assert.deepEqual(namesOf().sort(), ['Bad 1', 'Good 1', 'Good 2'])
    receiver.answer((response) => response.end())
    clock += minute
    await worker.look()
    assert.deepEqual(namesOf().slice(3), ['Bad 1', 'Bad 2'])
  })

  test('to a receiver that stalls are cut off, do not follow redirects, and read only a part of an endless answer', async () => {
    const id = await hook()
    const worker = workerOf(150)
    await workspace.make('impediment', { name: 'Stalled' })
    const attempt = async () =>
      (await call('GET', `/ext/webhook/deliveries?id=${id}`)).result.data[0].attempts[0]
    receiver.answer(() => undefined)
    await worker.look()
    assert.match((await attempt()).error, /No answer within 0.15 seconds/)
    receiver.answer((response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end())
    clock += minute
    await worker.look()
    assert.equal((await attempt()).status, 302)
    assert.equal(countOf(id), 2)
    receiver.answer((response) => {
      response.writeHead(200)
      const write = () =>
        void (response.destroyed || response.write('x'.repeat(1000), () => setImmediate(write)))
      write()
    })
    clock += 5 * minute
    await worker.look()
    const last = await attempt()
    assert.deepEqual([last.status, last.answer.length], [200, 2048])
  })

  test('end at once when the receiver answers 410', async () => {
    const id = await hook()
    receiver.answer((response) => response.writeHead(410).end())
    await workspace.make('impediment', { name: 'Gone' })
    await workerOf().look()
    assert.match((await shown()).pausedBecause, /410/)
    assert.equal(countOf(id), 1)
  })

  test('never reach a private address that a name leads to, whatever it was when the webhook was made', async () => {
    const id = await hook()
    await rest.database.transaction((transaction) =>
      transaction.query(
        sql`update webhooks set url = ${`https://localhost:${new URL(receiver.url).port}/`} where id = ${id}`,
      ),
    )
    await workspace.make('impediment', { name: 'Inside' })
    await workerOf().look()
    const [{ attempts }] = (await call('GET', `/ext/webhook/deliveries?id=${id}`)).result.data
    assert.match(attempts[0].error, /leads to no public address/)
    assert.equal(countOf(id), 0)
  })

  test('are shared by instances: each message is sent once, and a webhook of a dead one is taken over', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, hook))
    for (let count = 0; count < 5; count += 1) await workspace.make('impediment', { name: `Shared ${count}` })
    const workers = [workerOf(), workerOf(), workerOf()]
    await Promise.all(workers.map((worker) => worker.look()))
    await Promise.all(workers.map((worker) => worker.look()))
    for (const id of ids) assert.equal(countOf(id), 5)
    // Of an instance that died its claim is left.
    await rest.database.transaction((transaction) =>
      transaction.query(
        sql`update webhooks set claim = ${randomUUID()}, claimed_until = to_timestamp(${clock / 1000 + 5}::float8)`,
      ),
    )
    await workspace.make('impediment', { name: 'After a death' })
    await workers[0]?.look()
    for (const id of ids) assert.equal(countOf(id), 5)
    clock += 6000
    await Promise.all(workers.map((worker) => worker.look()))
    await Promise.all(workers.map((worker) => worker.look()))
    for (const id of ids) assert.equal(countOf(id), 6)
  })

  test('stop when the account of the webhook is removed', async () => {
    const id = await hook()
    const user = await workspace.make('user', {
      name: 'Leaver',
      login: 'leaver@example.com',
      password: 'Long enough 1!',
    })
    await rest.database.transaction((transaction) =>
      transaction.query(sql`update webhooks set user_id = ${user.id} where id = ${id}`),
    )
    await workspace.write('DELETE', '/api/user', { ids: [user.id] })
    await workspace.make('impediment', { name: 'Nobody is told' })
    await workerOf().look()
    assert.match((await shown()).pausedBecause, /account/)
    assert.equal(countOf(id), 0)
  })
})
