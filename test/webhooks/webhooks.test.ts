import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { isSignedBy, type ReceivedMessage, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

describe('A webhook', () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let receiver: Receiver
  let member: Person
  before(async () => {
    receiver = await startReceiver()
    rest = await startRestUnderTest({ WEBHOOK_RECEIVERS: receiver.host })
    workspace = await furnish(rest)
    member = await rest.signUp({ name: 'Mara' })
  })
  after(async () => {
    await rest.stop()
    await receiver.stop()
  })
  const call = (method: string, path: string, body?: object, by: Person = rest.administrator) =>
    rest.call(method, path, { token: by.token, ...(body && { body }) })
  const make = async (body: object, by?: Person) => {
    const answer = await call('POST', '/ext/webhook', { url: receiver.url, ...body }, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.webhook
  }
  const of = (id: string) => (messages: readonly ReceivedMessage[]) =>
    messages.filter((one) => one.id.endsWith(id))
  const log = async (id: string, by?: Person) =>
    (await call('GET', `/ext/webhook/deliveries?id=${id}&pageSize=100`, undefined, by)).body.result.data

  test('gets each change in its project, signed as the scheme says, and nothing else', async () => {
    const projectId = await workspace.project('Told', member)
    const { id, secret, ...shown } = await make({ projectId, name: 'For the chat' }, member)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual([shown.active, shown.userId, shown.resources], [true, member.id, null])
    await workspace.project('Other', member)
    const task = await workspace.assignment(projectId, member.id, { name: 'Told' })
    await workspace.write('DELETE', '/api/assignment', { ids: [task] }, member)
    await receiver.until((messages) => of(id)(messages).length === 2)
    const [made, removed] = of(id)(receiver.messages) as [ReceivedMessage, ReceivedMessage]
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

  test('gets the chosen resources and actions only', async () => {
    const { id } = await make({ resources: ['impediment'], actions: ['update'] })
    const row = await workspace.make('impediment', { name: 'Chosen' })
    await workspace.make('organization', { name: 'Not chosen' })
    await workspace.write('PATCH', '/api/impediment', { id: row.id, name: 'Chosen again' })
    await receiver.until((messages) => of(id)(messages).length === 1)
    assert.equal(of(id)(receiver.messages)[0]?.body.type, 'impediment.update')
  })

  test('has what its owner may see, and is silent once they may not', async () => {
    const projectId = await workspace.project('Left')
    const membership = await workspace.join(projectId, member.id)
    const { id } = await make({ projectId }, member)
    await workspace.assignment(projectId, member.id)
    await receiver.until((messages) => of(id)(messages).length === 1)
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    await workspace.assignment(projectId, member.id)
    const everything = await make({ resources: ['impediment'] })
    await workspace.make('impediment', { name: 'A mark that later changes came' })
    await receiver.until((messages) => of(everything.id)(messages).length === 1)
    assert.equal(of(id)(receiver.messages).length, 1)
  })

  test('signs with the new secret and the one before for a day', async () => {
    const { id, secret } = await make({ resources: ['workflow'] })
    const rotated = await call('POST', '/ext/webhook/rotate', { id })
    assert.notEqual(rotated.body.secret, secret)
    assert.equal((await call('POST', '/ext/webhook/test', { id })).status, 200)
    await receiver.until((messages) => messages.some(({ body }) => body.data.webhookId === id))
    const message = receiver.messages.find(({ body }) => body.data.webhookId === id) as ReceivedMessage
    assert.equal(message.body.type, 'test')
    assert.ok(isSignedBy(secret, message) && isSignedBy(rotated.body.secret, message))
  })

  test('sends one delivery or those of a period again, with the same ids', async () => {
    const from = new Date().toISOString()
    const { id } = await make({ resources: ['assignmentType'] })
    for (const name of ['One', 'Two', 'Three']) await workspace.make('assignmentType', { name })
    await receiver.until((messages) => of(id)(messages).length === 3)
    const sent = of(id)(receiver.messages).map((one) => one.id)
    const [newest] = await log(id)
    assert.equal((await call('POST', '/ext/webhook/replay', { id, deliveryId: newest.id })).body.count, 1)
    await receiver.until((messages) => of(id)(messages).length === 4)
    assert.equal(of(id)(receiver.messages)[3]?.id, newest.messageId)
    const to = new Date(Date.now() + 60_000).toISOString()
    assert.equal((await call('POST', '/ext/webhook/replay', { id, from, to })).body.count, 3)
    await receiver.until((messages) => of(id)(messages).length === 7)
    assert.deepEqual(
      of(id)(receiver.messages)
        .slice(4)
        .map((one) => one.id)
        .sort(),
      sent.sort(),
    )
  })

  test('sends a delivery again that was replayed while it was being sent, whatever became of it', async (t) => {
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
      const again = () => receiver.messages.filter((one) => one.id === newest.messageId).length === 2
      await receiver.until(again)
      await until(async () => (await log(id))[0].deliveredAt !== null, 'the delivery is settled')
      const [settled] = await log(id)
      assert.deepEqual(
        settled.attempts.map((one: { status: number }) => one.status),
        [200, status],
      )
      assert.equal(settled.nextAt, null)
    }
  })

  test('that is paused keeps changes meanwhile, and gets them when it is resumed', async () => {
    const { id } = await make({ resources: ['workflow'] })
    const paused = await call('PATCH', '/ext/webhook', { id, active: false })
    assert.deepEqual([paused.body.webhook.active, paused.body.webhook.pausedBecause], [false, 'By hand.'])
    await workspace.make('workflow', { name: 'Meanwhile', order: 3 })
    const other = await make({ resources: ['impediment'] })
    await workspace.make('impediment', { name: 'Later' })
    await receiver.until((messages) => of(other.id)(messages).length === 1)
    assert.equal(of(id)(receiver.messages).length, 0)
    await call('PATCH', '/ext/webhook', { id, active: true })
    await receiver.until((messages) => of(id)(messages).length === 1)
  })

  test('is its owner\u2019s and the administrators\u2019, and gone when it is removed', async () => {
    const projectId = await workspace.project('Private', member)
    const { id } = await make({ projectId }, member)
    const other = await rest.signUp()
    for (const [method, path, body] of [
      ['PATCH', '/ext/webhook', { id, active: false }],
      ['DELETE', '/ext/webhook', { id }],
      ['POST', '/ext/webhook/rotate', { id }],
      ['POST', '/ext/webhook/test', { id }],
      ['POST', '/ext/webhook/replay', { id, deliveryId: 1 }],
      ['GET', `/ext/webhook/deliveries?id=${id}`, undefined],
    ] as const)
      assertEnvelope(await call(method, path, body, other), 404)
    const idsFor = async (by: Person): Promise<string[]> =>
      (await call('GET', `/ext/webhooks?projectId=${projectId}`, undefined, by)).body.webhooks.map(
        (one: Person) => one.id,
      )
    assert.deepEqual(
      [await idsFor(other), await idsFor(member), await idsFor(rest.administrator)],
      [[], [id], [id]],
    )
    assert.equal('secret' in (await call('GET', '/ext/webhooks', undefined, member)).body.webhooks[0], false)
    assert.equal((await call('DELETE', '/ext/webhook', { id }, member)).status, 200)
    assertEnvelope(await call('DELETE', '/ext/webhook', { id }, member), 404)
  })

  test('is rejected where its owner may not look, and where it would lead inside', async () => {
    const projectId = await workspace.project('Hidden')
    assertEnvelope(await call('POST', '/ext/webhook', { url: receiver.url }, member), 403)
    const refusedOn = async (field: string, body: object, by?: Person) => {
      const answer = await call('POST', '/ext/webhook', { url: receiver.url, ...body }, by)
      assertEnvelope(answer, 400)
      assert.ok(answer.body.errors[field], JSON.stringify(answer.body))
    }
    await refusedOn('projectId', { projectId }, member)
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
      await refusedOn('url', { url })
    await refusedOn('resources', { resources: ['none'] })
    await refusedOn('resources', { resources: [] })
    await refusedOn('actions', { actions: 'create' })
    await refusedOn('name', { name: 'x'.repeat(201) })
    await refusedOn('active', { active: 'yes' })
  })

  test('is limited to twenty of an account, also when they are made at once', async () => {
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
