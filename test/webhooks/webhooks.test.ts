import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, test } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { raw, sql } from '../../src/db/sql.ts'
import {
  createWebhookWorker,
  type WebhookOptions,
  type WebhookWorker,
} from '../../src/features/webhooks/worker.ts'
import { allowedReceivers } from '../../src/http/addresses.ts'
import { createBudget } from '../../src/model/budget.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { isSignedBy, type ReceivedMessage, startReceiver } from '../support/receiver.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { until } from '../support/until.ts'

describe('A webhook', () => {
  const receiver = fixture(startReceiver)
  const rest = fixture(() => startRestUnderTest({ WEBHOOK_RECEIVERS: receiver.host }))
  const workspace = fixture(seed, rest)
  const member = fixture(() => rest.signUp({ name: 'Mara' }))
  const call = (method: string, path: string, body?: object, by: Person = rest.administrator) =>
    by.call(method, path, body)
  const make = async (body: object, by?: Person) => {
    const answer = await call('POST', '/ext/webhook', { url: receiver.url, ...body }, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.webhook
  }
  const messagesOf = (id: string) => receiver.messages.filter((message) => message.id.endsWith(id))
  const log = async (id: string, by?: Person) =>
    (await call('GET', `/ext/webhook/deliveries?id=${id}&pageSize=100`, undefined, by)).body.result.data

  test('gets each change in its project, signed according to Standard Webhooks', async () => {
    const projectId = await workspace.project('Told', member)
    const { id, secret, ...shown } = await make({ projectId, name: 'For the chat' }, member)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual([shown.active, shown.userId, shown.resources], [true, member.id, null])
    await workspace.project('Other', member)
    const task = await workspace.assignment(projectId, member.id, { name: 'Told' })
    await workspace.write('DELETE', '/api/assignment', { ids: [task] }, member)
    await receiver.until(() => messagesOf(id).length === 2)
    const [made, removed] = messagesOf(id) as [ReceivedMessage, ReceivedMessage]
    assert.deepEqual([made.body.type, removed.body.type], ['assignment.create', 'assignment.remove'])
    assert.deepEqual([made.body.data.rowId, made.body.data.after.name], [task, 'Told'])
    assert.equal(made.body.timestamp, made.body.data.at)
    assert.ok(isSignedBy(secret, made))
    assert.ok(!isSignedBy('whsec_AAAA', made))
    assert.match(String(made.headers['content-type']), /^application\/json/)
    assert.ok(Math.abs(Number(made.headers['webhook-timestamp']) - Date.now() / 1000) < 60)
    const [last, first] = await log(id, member)
    assert.deepEqual([first.messageId, last.messageId], [made.id, removed.id])
    assert.equal(first.body, made.text)
    const [attempt] = first.attempts
    assert.deepEqual([attempt.status, attempt.answer, attempt.error], [200, 'thanks', null])
    assert.equal(attempt.headers['webhook-signature'], made.headers['webhook-signature'])
    assert.ok(first.deliveredAt && attempt.milliseconds >= 0)
  })

  test('gets only changes of the chosen resources and actions', async () => {
    const { id } = await make({ resources: ['impediment'], actions: ['update'] })
    const row = await workspace.make('impediment', { name: 'Chosen' })
    await workspace.make('organization', { name: 'Not chosen' })
    await workspace.write('PATCH', '/api/impediment', { id: row.id, name: 'Chosen again' })
    await receiver.until(() => messagesOf(id).length === 1)
    assert.equal(messagesOf(id)[0]?.body.type, 'impediment.update')
  })

  test('gets no more changes of a project that its owner has left', async () => {
    const projectId = await workspace.project('Left')
    const membership = await workspace.join(projectId, member.id)
    const { id } = await make({ projectId }, member)
    await workspace.assignment(projectId, member.id)
    await receiver.until(() => messagesOf(id).length === 1)
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    await workspace.assignment(projectId, member.id)
    const later = await make({ resources: ['impediment'] })
    await workspace.make('impediment', { name: 'Sent after the hidden change' })
    await receiver.until(() => messagesOf(later.id).length === 1)
    assert.equal(messagesOf(id).length, 1)
  })

  test('signs with both the new and the previous secret after a rotation', async () => {
    const { id, secret } = await make({ resources: ['workflow'] })
    const rotated = await call('POST', '/ext/webhook/rotate', { id })
    assert.notEqual(rotated.body.secret, secret)
    assert.equal((await call('POST', '/ext/webhook/test', { id })).status, 200)
    await receiver.until((messages) => messages.some(({ body }) => body.data.webhookId === id))
    const message = receiver.messages.find(({ body }) => body.data.webhookId === id) as ReceivedMessage
    assert.equal(message.body.type, 'test')
    assert.ok(isSignedBy(secret, message) && isSignedBy(rotated.body.secret, message))
  })

  test('sends one delivery, or all deliveries of a period, again with the same ids', async () => {
    const from = new Date().toISOString()
    const { id } = await make({ resources: ['assignmentType'] })
    for (const name of ['One', 'Two', 'Three']) await workspace.make('assignmentType', { name })
    await receiver.until(() => messagesOf(id).length === 3)
    const sent = messagesOf(id).map((message) => message.id)
    const [newest] = await log(id)
    assert.equal((await call('POST', '/ext/webhook/replay', { id, deliveryId: newest.id })).body.count, 1)
    await receiver.until(() => messagesOf(id).length === 4)
    assert.equal(messagesOf(id)[3]?.id, newest.messageId)
    const to = new Date(Date.now() + 60_000).toISOString()
    assert.equal((await call('POST', '/ext/webhook/replay', { id, from, to })).body.count, 3)
    await receiver.until(() => messagesOf(id).length === 7)
    assert.deepEqual(
      messagesOf(id)
        .slice(4)
        .map((message) => message.id)
        .sort(),
      sent.sort(),
    )
  })

  test('sends a delivery again if it was replayed during an attempt', async (t) => {
    const { id } = await make({ resources: ['assignmentType'] })
    t.after(() => receiver.answer((response) => response.end('thanks')))
    for (const status of [200, 500]) {
      const held: ServerResponse[] = []
      receiver.answer((response, message) => {
        if (message.id.endsWith(id)) held.push(response)
        else response.end('thanks')
      })
      await workspace.make('assignmentType', { name: `Replayed ${status}` })
      await receiver.until(() => held.length === 1)
      const [newest] = await log(id)
      receiver.answer((response) => response.end('thanks'))
      const replay = await call('POST', '/ext/webhook/replay', { id, deliveryId: newest.id })
      assert.equal(replay.body.count, 1)
      held[0]?.writeHead(status).end()
      const again = () => receiver.messages.filter((message) => message.id === newest.messageId).length === 2
      await receiver.until(again)
      await until(async () => (await log(id))[0].deliveredAt !== null, 'the delivery to be settled')
      const [settled] = await log(id)
      assert.deepEqual(valuesOf(settled.attempts, 'status'), [200, status])
      assert.equal(settled.nextAt, null)
    }
  })

  test('that was paused gets the changes made meanwhile when it is resumed', async () => {
    const { id } = await make({ resources: ['workflow'] })
    const paused = await call('PATCH', '/ext/webhook', { id, active: false })
    assert.deepEqual([paused.body.webhook.active, paused.body.webhook.pausedBecause], [false, 'By hand.'])
    await workspace.make('workflow', { name: 'Meanwhile', order: 3 })
    const other = await make({ resources: ['impediment'] })
    await workspace.make('impediment', { name: 'Later' })
    await receiver.until(() => messagesOf(other.id).length === 1)
    assert.equal(messagesOf(id).length, 0)
    await call('PATCH', '/ext/webhook', { id, active: true })
    await receiver.until(() => messagesOf(id).length === 1)
  })

  test('can be seen and changed only by its owner and administrators', async () => {
    const projectId = await workspace.project('Private', member)
    const { id } = await make({ projectId }, member)
    const { id: newerId } = await make({ projectId }, member)
    const other = await rest.signUp()
    for (const { method, path, body } of [
      { method: 'PATCH', path: '/ext/webhook', body: { id, active: false } },
      { method: 'DELETE', path: '/ext/webhook', body: { id } },
      { method: 'POST', path: '/ext/webhook/rotate', body: { id } },
      { method: 'POST', path: '/ext/webhook/test', body: { id } },
      { method: 'POST', path: '/ext/webhook/replay', body: { id, deliveryId: 1 } },
      { method: 'GET', path: `/ext/webhook/deliveries?id=${id}`, body: undefined },
    ] as const)
      assertEnvelope(await call(method, path, body, other), 404)
    const idsFor = async (by: Person): Promise<string[]> =>
      (await call('GET', `/ext/webhooks?projectId=${projectId}`, undefined, by)).body.webhooks.map(
        (webhook: { id: string }) => webhook.id,
      )
    assert.deepEqual(
      [await idsFor(other), await idsFor(member), await idsFor(rest.administrator)],
      [[], [newerId, id], [newerId, id]],
    )
    assert.equal('secret' in (await call('GET', '/ext/webhooks', undefined, member)).body.webhooks[0], false)
    assert.equal((await call('DELETE', '/ext/webhook', { id }, member)).status, 200)
    assertEnvelope(await call('DELETE', '/ext/webhook', { id }, member), 404)
  })

  test('is rejected with an invalid project, address or value', async () => {
    const projectId = await workspace.project('Hidden')
    assertEnvelope(await call('POST', '/ext/webhook', { url: receiver.url }, member), 403)
    const rejectedOn = async (field: string, body: object, by?: Person) => {
      const answer = await call('POST', '/ext/webhook', { url: receiver.url, ...body }, by)
      assertEnvelope(answer, 400)
      assert.ok(answer.body.errors[field], JSON.stringify(answer.body))
    }
    await rejectedOn('projectId', { projectId }, member)
    for (const url of [
      '',
      'none',
      'ftp://example.com',
      'http://example.com',
      'http://127.0.0.1:1/hook',
      'https://127.0.0.1/hook',
      'https://10.1.2.3/',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[fd00::1]/',
      'https://2130706433/',
      'https://user:word@example.com/',
      `https://example.com/${'x'.repeat(2000)}`,
    ])
      await rejectedOn('url', { url })
    await rejectedOn('resources', { resources: ['none'] })
    await rejectedOn('resources', { resources: [] })
    await rejectedOn('actions', { actions: 'create' })
    await rejectedOn('name', { name: 'x'.repeat(201) })
    await rejectedOn('active', { active: 'yes' })
  })

  test('cannot be created if its account has twenty', async () => {
    const person = await rest.signUp()
    const projectId = await workspace.project('Many', person)
    const answers = await Promise.all(
      Array.from({ length: 24 }, () =>
        call('POST', '/ext/webhook', { url: receiver.url, projectId }, person),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 20)
  })
})

const minute = 60_000
const hour = 60 * minute

function assertBetween(value: number | undefined, least: number, most: number) {
  assert.ok(
    value !== undefined && value >= least && value <= most,
    `${value} lies outside ${least} to ${most}`,
  )
}

describe('Deliveries', () => {
  let clock: number
  let paused: { webhook: string; because: string }[]
  const workerOf = (
    responseTimeoutMilliseconds = 2000,
    overrides: Partial<WebhookOptions> = {},
  ): WebhookWorker =>
    createWebhookWorker({
      database: rest.database,
      administrators: administratorsOf({ adminLogins: [rest.administrator.login] }),
      receivers: allowedReceivers([receiver.host]),
      requests: openBudgets().budget('webhookRequests'),
      onFailure: (error) => assert.fail(String(error)),
      onPaused: (details) => void paused.push(details),
      now: () => clock,
      responseTimeoutMilliseconds,
      ...overrides,
    })
  const receiver = fixture(startReceiver)
  // Workers of this file deliver, on a clock that the tests move.
  const rest = fixture(() => startRestUnderTest({ WEBHOOKS: 'off', WEBHOOK_RECEIVERS: receiver.host }))
  const workspace = fixture(seed, rest)
  beforeEach(async () => {
    clock = Date.now()
    paused = []
    receiver.answer((response) => response.end())
    await rest.database.transaction((transaction) => transaction.query(sql`delete from webhooks`))
  })
  const call = async (method: string, path: string, body?: object) =>
    (await rest.administrator.call(method, path, body)).body
  const hook = async (): Promise<string> =>
    (await call('POST', '/ext/webhook', { url: receiver.url, resources: ['impediment'] })).webhook.id
  const readWebhook = async () => (await call('GET', '/ext/webhooks')).webhooks[0]
  const countOf = (id: string) => receiver.messages.filter((message) => message.id.endsWith(id)).length
  const rename = (id: string, name: string) => workspace.write('PATCH', '/api/impediment', { id, name })

  test('that fail are retried for three days until the webhook is paused', async () => {
    const id = await hook()
    const worker = workerOf()
    receiver.answer((response) => response.writeHead(500).end('not today'))
    await workspace.make('impediment', { name: 'Never' })
    const began = clock
    const triedAt: number[] = []
    for (let tries = 0; (await readWebhook()).active; clock += minute) {
      await worker.poll()
      if (countOf(id) > tries) triedAt.push(clock - began)
      tries = countOf(id)
      // The waits last hours by now, so the clock advances faster.
      if (triedAt.length > 4) clock += 20 * minute
    }
    const waits = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0))
    assertBetween(triedAt.length, 10, 20)
    assertBetween(waits.at(-2), 7 * hour, 10 * hour)
    assertBetween(triedAt.at(-1), 72 * hour, 73 * hour)
    const { pausedBecause, pausedAt, waiting } = await readWebhook()
    assert.match(
      pausedBecause,
      /^Deliveries failed for three days. The last attempt: The receiver responded with the status 500\.$/,
    )
    assert.ok(pausedAt && waiting === 1)
    assert.deepEqual(paused, [{ webhook: id, because: pausedBecause }])
    const before = countOf(id)
    clock += 100 * hour
    await worker.poll()
    assert.equal(countOf(id), before, 'nothing more is sent')
    // After the webhook is resumed, the message is delivered.
    receiver.answer((response) => response.end())
    clock = Date.now() + 1000
    await call('PATCH', '/ext/webhook', { id, active: true })
    await worker.poll()
    assert.equal((await readWebhook()).waiting, 0)
  })

  test('of a row wait for the previous delivery of that row', async () => {
    const id = await hook()
    const worker = workerOf()
    const bad = await workspace.make('impediment', { name: 'Bad 1' })
    const good = await workspace.make('impediment', { name: 'Good 1' })
    await rename(bad.id, 'Bad 2')
    await rename(good.id, 'Good 2')
    const namesOf = () =>
      receiver.messages.filter((message) => message.id.endsWith(id)).map(({ body }) => body.data.after.name)
    receiver.answer((response, { body }) => response.writeHead(body.data.rowId === bad.id ? 503 : 204).end())
    await worker.poll()
    assert.deepEqual(namesOf().sort(), ['Bad 1', 'Good 1', 'Good 2'])
    receiver.answer((response) => response.end())
    clock += minute
    await worker.poll()
    assert.deepEqual(namesOf().slice(3), ['Bad 1', 'Bad 2'])
  })

  const attemptOf = async (id: string) =>
    (await call('GET', `/ext/webhook/deliveries?id=${id}`)).result.data[0].attempts[0]

  test('time out', async () => {
    const id = await hook()
    await workspace.make('impediment', { name: 'Stalled' })
    receiver.answer(() => undefined)
    await workerOf(150).poll()
    assert.match((await attemptOf(id)).error, /No answer within 0.15 seconds/)
  })

  test('follow no redirects', async () => {
    const id = await hook()
    await workspace.make('impediment', { name: 'Redirected' })
    receiver.answer((response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end())
    await workerOf().poll()
    assert.equal((await attemptOf(id)).status, 302)
    assert.equal(countOf(id), 1)
  })

  test('read only the beginning of an endless response', async () => {
    const id = await hook()
    await workspace.make('impediment', { name: 'Endless' })
    receiver.answer((response) => {
      response.writeHead(200)
      const write = () => {
        if (!response.destroyed) response.write('x'.repeat(1000), () => setImmediate(write))
      }
      write()
    })
    await workerOf().poll()
    const { status, answer } = await attemptOf(id)
    assert.deepEqual([status, answer.length], [200, 2048])
  })

  test('end at once when the receiver responds with 410', async () => {
    const id = await hook()
    receiver.answer((response) => response.writeHead(410).end())
    await workspace.make('impediment', { name: 'Gone' })
    await workerOf().poll()
    assert.match((await readWebhook()).pausedBecause, /410/)
    assert.equal(countOf(id), 1)
  })

  test('never reach a private address to which the name in the URL resolves', async () => {
    const id = await hook()
    await rest.database.transaction((transaction) =>
      transaction.query(
        sql`update webhooks set url = ${`https://localhost:${new URL(receiver.url).port}/`} where id = ${id}`,
      ),
    )
    await workspace.make('impediment', { name: 'Inside' })
    await workerOf().poll()
    const [{ attempts }] = (await call('GET', `/ext/webhook/deliveries?id=${id}`)).result.data
    assert.match(attempts[0].error, /leads to no public address/)
    assert.equal(countOf(id), 0)
  })

  test('are shared by instances', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, hook))
    for (let count = 0; count < 5; count += 1) await workspace.make('impediment', { name: `Shared ${count}` })
    const workers = [workerOf(), workerOf(), workerOf()]
    await Promise.all(workers.map((worker) => worker.poll()))
    await Promise.all(workers.map((worker) => worker.poll()))
    for (const id of ids) assert.equal(countOf(id), 5)
    // The claim of an instance that died remains.
    await rest.database.transaction((transaction) =>
      transaction.query(
        sql`update webhooks set claim = ${randomUUID()}, claimed_until = to_timestamp(${clock / 1000 + 5}::float8)`,
      ),
    )
    await workspace.make('impediment', { name: 'After a death' })
    await workers[0]?.poll()
    for (const id of ids) assert.equal(countOf(id), 5)
    clock += 6000
    await Promise.all(workers.map((worker) => worker.poll()))
    await Promise.all(workers.map((worker) => worker.poll()))
    for (const id of ids) assert.equal(countOf(id), 6)
  })

  test('reach other receivers while slow ones take every request they can get', async () => {
    const slow: ServerResponse[] = []
    let slowIds: string[] = []
    receiver.answer((response, message) => {
      if (slowIds.some((id) => message.id.endsWith(id))) slow.push(response)
      else response.end()
    })
    slowIds = await Promise.all(Array.from({ length: 10 }, hook))
    for (let count = 0; count < 9; count += 1) await workspace.make('impediment', { name: `Slow ${count}` })
    const worker = workerOf(600_000)
    const polling = worker.poll()
    // Each slow receiver has its first request. Together they have 16 further requests, half of the budget.
    await receiver.until(() => slow.length === 26)
    const quick = await hook()
    await workspace.make('impediment', { name: 'Quick' })
    // The first poll is still waiting for the slow receivers.
    const again = worker.poll()
    await receiver.until(() => countOf(quick) === 1)
    assert.ok(slow.every((response) => !response.writableEnded))
    assert.equal(slow.length, 26)
    await worker.stop()
    await Promise.all([polling, again])
  })

  test('to a slow receiver pause after a while', async () => {
    const ids = await Promise.all([hook(), hook()])
    const messages = 40
    for (let count = 0; count < messages; count += 1)
      await workspace.make('impediment', { name: `Stuck ${count}` })
    receiver.answer(() => undefined)
    // With one request at a time, the messages of one webhook alone take four seconds.
    const worker = workerOf(100, { requests: createBudget(1) })
    const polling = worker.poll()
    await receiver.until(() => ids.every((id) => countOf(id) > 0))
    await worker.stop()
    await polling
    assert.ok(
      ids.every((id) => countOf(id) < messages),
      'the first has not sent everything before the other began',
    )
  })

  test('are not taken over by another instance before all requests have ended', async () => {
    const id = await hook()
    for (const name of ['First', 'Second']) await workspace.make('impediment', { name })
    const held: ServerResponse[] = []
    receiver.answer((response) => void held.push(response))
    const failures: unknown[] = []
    const worker = workerOf(600_000, { onFailure: (error) => failures.push(error) })
    const alter = (change: string) =>
      rest.database.transaction((transaction) =>
        transaction.query(sql`alter table webhook_attempts ${raw(change)}`),
      )
    // Recording the status 418 fails, so one of the two requests ends with an error.
    await alter('add constraint fails_in_test check (status <> 418) not valid')
    try {
      const polling = worker.poll()
      await receiver.until(() => held.length === 2)
      held[0]?.writeHead(418).end()
      const other = workerOf()
      for (let count = 0; count < 20; count += 1) await other.poll()
      assert.equal(countOf(id), 2, 'no other instance has taken the webhook')
      held[1]?.end()
      await polling
      assert.equal(failures.length, 1)
    } finally {
      await alter('drop constraint fails_in_test')
    }
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
    await workerOf().poll()
    assert.match((await readWebhook()).pausedBecause, /account/)
    assert.equal(countOf(id), 0)
  })
})
