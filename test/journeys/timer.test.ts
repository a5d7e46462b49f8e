import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { makeToken } from '../support/api-tokens.ts'
import { fixture } from '../support/fixture.ts'
import { send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

describe('The timer of an account', () => {
  const rest = fixture(startRestUnderTest, { HOURS_STEP: '0.25' })
  const workspace = fixture(seed, rest)
  const another = fixture(() => rest.startAnother())
  let projectId: string
  let assignmentId: string
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))
  before(async () => {
    projectId = await workspace.project('Moon base', ann)
  })
  beforeEach(async () => {
    await ann.call('DELETE', '/ext/timer')
    assignmentId = await workspace.assignment(projectId, ann.id, { name: 'Build the ladder' })
  })

  const start = (body: unknown = { assignmentId }, token = ann.token) =>
    rest.call('POST', '/ext/timer', { token, body })
  const stop = (body: unknown = {}) => ann.call('POST', '/ext/timer/stop', body)
  const timer = async () => (await ann.call('GET', '/ext/timer')).body.timer
  const booked = async () =>
    (await ann.call('GET', `/api/appointments?assignmentId=${assignmentId}`)).body.result.data
  const setStartHoursAgo = (hours: number) =>
    rest.database.query(sql`
      update timers set started_at = now() - make_interval(secs => ${hours * 3600}) where user_id = ${ann.id}`)

  test('is the same on every instance', async () => {
    assert.equal(await timer(), null)
    const started = await start()
    assert.equal(started.status, 200)
    await setStartHoursAgo(1.6)
    const fromOther = (await send(another.address, 'GET', '/ext/timer', { token: ann.token })).body.timer
    assert.deepEqual(fromOther, await timer())
    assert.deepEqual(fromOther.assignment, { name: 'Build the ladder', projectId })
    const stopped = await send(another.address, 'POST', '/ext/timer/stop', {
      token: ann.token,
      body: { description: 'Nine rungs' },
    })
    assert.equal(stopped.status, 200)
    const [appointment, ...more] = await booked()
    assert.deepEqual(more, [])
    assert.deepEqual(stopped.body.appointment, appointment)
    assert.deepEqual([appointment.amountHours, appointment.description], [1.5, 'Nine rungs'])
    assert.equal(Date.parse(appointment.keepDate), Date.parse(fromOther.startedAt))
    assert.equal(await timer(), null)
  })

  test('books at least one step, or the hours and the day that its owner names', async () => {
    await start()
    assert.equal((await stop()).body.appointment.amountHours, 0.25)
    await start()
    const { appointment } = (await stop({ amountHours: 3, keepDate: '2026-03-01' })).body
    assert.deepEqual([appointment.amountHours, Date.parse(appointment.keepDate)], [3, Date.UTC(2026, 2, 1)])
  })

  test('runs only once, even if several devices start it at the same time', async () => {
    const answers = await Promise.all([start(), start(), start()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
    const rejected = answers.find(({ status }) => status === 409)
    assert.deepEqual(rejected?.body.errors, { assignmentId: ['A timer is already running. Stop it first.'] })
  })

  test('books its hours once, even if several devices stop it at the same time', async () => {
    await start()
    const answers = await Promise.all([stop(), stop(), stop()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404])
    assert.equal((await booked()).length, 1)
  })

  test('that ran for many hours cannot be stopped without the number of hours to book', async () => {
    await start()
    await setStartHoursAgo(11.5)
    const rejected = await stop()
    assert.equal(rejected.status, 400)
    assert.deepEqual(rejected.body.errors, {
      amountHours: ['The timer ran for 11 hours. AmountHours must say how many to book.'],
    })
    assert.equal((await timer()).assignmentId, assignmentId)
    assert.equal((await stop({ amountHours: 0.3 })).status, 400)
    assert.notEqual(await timer(), null)
    assert.equal((await stop({ amountHours: 4 })).status, 200)
  })

  test('can be discarded once, without booking anything', async () => {
    await start()
    const discard = () => ann.call('DELETE', '/ext/timer')
    assert.deepEqual([(await discard()).status, (await discard()).status], [200, 404])
    assert.deepEqual(await booked(), [])
  })

  test('starts only for an assignment that its owner can see', async () => {
    const bob = await rest.signUp({ name: 'Bob' })
    assert.equal((await start({ assignmentId }, bob.token)).status, 400)
    for (const body of [{}, { assignmentId: 'x' }, { assignmentId: null }, { assignmentId: bob.id }])
      assert.deepEqual(Object.keys((await start(body)).body.errors), ['assignmentId'])
    await start()
    await workspace.write('DELETE', '/api/assignment', { ids: [assignmentId] })
    assert.equal((await timer()).assignment, null)
    assert.equal((await stop()).status, 400)
    assert.equal((await timer()).assignmentId, assignmentId)
    assert.equal((await ann.call('DELETE', '/ext/timer')).status, 200)
  })

  test('respects the scopes of a token', async () => {
    const secretOf = async (...scopes: string[]) => (await makeToken(rest, ann.token, { scopes })).secret
    const reading = await secretOf('appointment:read')
    assert.equal((await rest.call('GET', '/ext/timer', { token: reading })).status, 200)
    assert.equal((await start(undefined, reading)).status, 403)
    assert.equal((await rest.call('POST', '/ext/timer/stop', { token: reading, body: {} })).status, 403)
    assert.equal((await rest.call('DELETE', '/ext/timer', { token: reading })).status, 403)
    assert.equal((await start(undefined, await secretOf('appointment:write', 'assignment:read'))).status, 200)
    const other = await secretOf('comment:read')
    assert.equal((await rest.call('GET', '/ext/timer', { token: other })).status, 403)
  })
})
