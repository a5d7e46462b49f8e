import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, test } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { createWebhookWorker, requestsAtOnce } from '../../src/features/webhooks/worker.ts'
import { allowedReceivers } from '../../src/http/addresses.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { type ReceivedMessage, startReceiver } from '../support/receiver.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

describe('A webhook whose owner has lost access', () => {
  let owner: Person
  let projectId: string
  let membership: string
  let clock: number
  const receiver = fixture(startReceiver)
  // The tests run the deliveries themselves.
  const rest = fixture(() => startRestUnderTest({ WEBHOOKS: 'off', WEBHOOK_RECEIVERS: receiver.host }))
  const workspace = fixture(seed, rest)
  beforeEach(async () => {
    clock = Date.now()
    receiver.answer((response) => response.end())
    owner = await rest.signUp()
    projectId = await workspace.project('Left')
    membership = await workspace.join(projectId, owner.id)
  })

  const call = (method: string, path: string, body?: object, by: Person = owner) =>
    by.call(method, path, body)
  const make = async (body: object, by?: Person): Promise<string> => {
    const answer = await call('POST', '/ext/webhook', { url: receiver.url, ...body }, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.webhook.id
  }
  const deliver = () =>
    createWebhookWorker({
      database: rest.database,
      administrators: administratorsOf({ adminLogins: [rest.administrator.login] }),
      receivers: allowedReceivers([receiver.host]),
      requests: openBudgets().budget('webhookRequests'),
      onFailure: (error) => assert.fail(String(error)),
      onPaused: ({ because }) => assert.fail(because),
      now: () => clock,
    }).poll()
  const sent = (id: string) => receiver.messages.filter((message) => message.id.endsWith(id))
  const namesSent = (id: string) => sent(id).map(({ body }) => body.data.after.name)
  const log = async (id: string, by?: Person) =>
    (await call('GET', `/ext/webhook/deliveries?id=${id}&pageSize=100`, undefined, by)).body.result.data
  const assignment = (name: string) => workspace.assignment(projectId, rest.administrator.id, { name })
  const leave = () => workspace.write('DELETE', '/api/userProject', { ids: [membership] })
  const rejoin = () => workspace.write('POST', '/api/userProject/restore', { ids: [membership] })
  const period = () => ({
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
  })

  test('shows its log only to administrators, until the owner has rejoined', async () => {
    const id = await make({ projectId })
    await assignment('Secret')
    await deliver()
    assert.equal((await log(id)).length, 1)
    await leave()
    assert.deepEqual(await log(id), [])
    assert.equal((await log(id, rest.administrator)).length, 1)
    await rejoin()
    assert.equal((await log(id)).length, 1)
  })

  test('can be listed and removed by its owner, but not changed or replayed', async () => {
    const id = await make({ projectId })
    await assignment('Secret')
    await deliver()
    const [delivery] = await log(id)
    await leave()
    for (const { method, path, body } of [
      { method: 'POST', path: '/ext/webhook/replay', body: { id, deliveryId: delivery.id } },
      { method: 'POST', path: '/ext/webhook/replay', body: { id, ...period() } },
      { method: 'PATCH', path: '/ext/webhook', body: { id, url: `${receiver.url}/elsewhere` } },
      { method: 'PATCH', path: '/ext/webhook', body: { id, active: true } },
      { method: 'POST', path: '/ext/webhook/rotate', body: { id } },
      { method: 'POST', path: '/ext/webhook/test', body: { id } },
    ] as const)
      assertEnvelope(await call(method, path, body), 403)
    const [listed] = (await call('GET', '/ext/webhooks')).body.webhooks
    assert.deepEqual([listed.id, listed.url], [id, receiver.url])
    assertEnvelope(await call('POST', '/ext/webhook/rotate', { id }, await rest.signUp()), 404)
    assert.equal((await call('DELETE', '/ext/webhook', { id })).status, 200)
  })

  test('withdraws waiting messages, which can be replayed after the owner has rejoined', async () => {
    const id = await make({ projectId, resources: ['assignment'] })
    receiver.answer((response) => response.writeHead(500).end())
    await assignment('Tried before')
    await deliver()
    await leave()
    receiver.answer((response) => response.end())
    clock += 3_600_000
    await deliver()
    const again = { id, ...period() }
    assert.equal((await call('POST', '/ext/webhook/replay', again, rest.administrator)).body.count, 1)
    await deliver()
    assert.equal(sent(id).length, 1)
    await rejoin()
    await deliver()
    assert.equal(sent(id).length, 1)
    assert.equal((await call('POST', '/ext/webhook/replay', again)).body.count, 1)
    await deliver()
    assert.deepEqual(namesSent(id), ['Tried before', 'Tried before'])
  })

  test('sends no further message after the membership has ended', async () => {
    const id = await make({ projectId })
    for (let count = 0; count < 12; count += 1) await assignment(`Task ${count}`)
    const held: ServerResponse[] = []
    receiver.answer((response) => void held.push(response))
    const delivering = deliver()
    await receiver.until(() => held.length === requestsAtOnce)
    await leave()
    receiver.answer((response) => response.end())
    // Neither the delivered ones nor those that would be retried lead to more messages.
    for (const [index, response] of held.entries())
      response.writeHead(index < requestsAtOnce / 2 ? 200 : 503).end()
    await delivering
    clock += 3_600_000
    await deliver()
    assert.equal(sent(id).length, requestsAtOnce)
  })

  test('does not stop the webhook that the owner has for another project', async () => {
    const other = await workspace.project('Kept', owner)
    const lost = await make({ projectId })
    const kept = await make({ projectId: other })
    await leave()
    await assignment('Not told')
    const task = await workspace.assignment(other, owner.id, { name: 'Told' })
    await workspace.write('DELETE', '/api/assignment', { ids: [task] }, owner)
    await workspace.write('DELETE', '/api/project', { ids: [other] }, owner)
    await deliver()
    assert.deepEqual([sent(lost).length, sent(kept).length > 2], [0, true])
    const types = sent(kept).map(({ body }) => body.type)
    assert.ok(types.includes('project.remove'), types.join())
    assert.equal((await log(kept)).length, sent(kept).length)
  })

  test('no longer reports an assignment that has moved to a project that the owner cannot read', async () => {
    const hidden = await workspace.project('Hidden')
    const id = await make({ projectId })
    const task = await assignment('Moves')
    await deliver()
    assert.equal((await log(id)).length, 1)
    const [delivery] = await log(id)
    const { body } = await call('GET', `/api/assignment?id=${task}`, undefined, rest.administrator)
    await workspace.write('PATCH', '/api/assignment', { ...body.assignment, projectId: hidden })
    assert.deepEqual(await log(id), [])
    assertEnvelope(await call('POST', '/ext/webhook/replay', { id, deliveryId: delivery.id }), 404)
    assert.equal((await call('POST', '/ext/webhook/replay', { id, ...period() })).body.count, 0)
  })

  const changeAdministrators = async (method: string) => {
    const answer = await call(method, '/ext/administrators', { userId: owner.id }, rest.administrator)
    assert.equal(answer.status, 200)
  }
  const signInAgain = async () => ({
    ...owner,
    token: (await rest.identity.signIn(owner.login)).access_token,
  })

  test('sends no further message after the owner has lost the role of administrator', async () => {
    await changeAdministrators('POST')
    const id = await make({ resources: ['assignment'] }, await signInAgain())
    const hidden = await workspace.project('Never seen')
    for (let count = 0; count < 12; count += 1)
      await workspace.assignment(hidden, rest.administrator.id, { name: `Hidden ${count}` })
    const held: ServerResponse[] = []
    receiver.answer((response) => void held.push(response))
    const delivering = deliver()
    await receiver.until(() => held.length === requestsAtOnce)
    await changeAdministrators('DELETE')
    receiver.answer((response) => response.end())
    for (const response of held) response.end()
    await delivering
    assert.equal(sent(id).length, requestsAtOnce)
  })

  test('gets what members get after the owner has lost the role of administrator', async () => {
    await changeAdministrators('POST')
    const id = await make({}, await signInAgain())
    const hidden = await workspace.project('Never seen')
    await workspace.assignment(hidden, rest.administrator.id, { name: 'Hidden' })
    await assignment('Seen')
    receiver.answer((response) => response.writeHead(500).end())
    await deliver()
    const messages = () => sent(id).filter(({ body }) => body.type === 'assignment.create')
    const haveSessions = messages().map(({ body }) => body.data.sessionId !== null)
    assert.deepEqual(haveSessions, [true, true])
    await changeAdministrators('DELETE')
    receiver.answer((response) => response.end())
    clock += 3_600_000
    await deliver()
    const [again, ...more] = messages().slice(2)
    assert.deepEqual([again?.body.data.after.name, again?.body.data.sessionId, more], ['Seen', null, []])
    const shown = (await log(id)).map(({ body }: { body: string }) => JSON.parse(body))
    const tasks = shown.filter(({ type }: { type: string }) => type === 'assignment.create')
    assert.deepEqual(
      tasks.map(({ data }: ReceivedMessage['body']) => [data.after.name, data.sessionId, data.requestId]),
      [['Seen', null, null]],
    )
  })
})
