import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { followChanges, remind } from '../../src/features/notifications/follow.ts'
import { makeToken } from '../support/api-tokens.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { fixture } from '../support/fixture.ts'
import { followFromNow } from '../support/follow-from-now.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { awayFromMidnight } from '../support/until.ts'

type Body = Readonly<Record<string, unknown>>

const day = (fromToday: number) =>
  `${new Date(Date.now() + fromToday * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`
const placeholders = { startDate: day(0), endDate: day(0) }
const unplanned = { isUnscheduled: true, isUnassigned: true }

describe('Assignments without dates or without a user', { concurrency: 4 }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })
  const workspace = fixture(seed, rest)
  const commands = fixture(startCommandsUnderTest, {}, { alongside: rest })
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))
  const bob = fixture(() => rest.signUp({ name: 'Bob' }))
  let projectId: string
  before(async () => {
    projectId = await workspace.project('Moon base', ann)
    await workspace.join(projectId, bob.id)
    await followFromNow(rest.database)
  })

  const send = async (method: string, path: string, body?: Body, by: Person = ann) => {
    const answer = await by.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const bodyOf = (values: Body = {}): Body => ({
    name: 'An idea',
    ...placeholders,
    amountHours: 0,
    projectId,
    workflowId: workspace.workflowId,
    userId: ann.id,
    assignmentTypeId: workspace.assignmentTypeId,
    ...values,
  })
  const make = async (values: Body = {}, root = '/ext', by = ann) =>
    (await send('POST', `${root}/assignment`, bodyOf(values), by)).assignment
  const change = (body: Body, root = '/ext', by = ann) => send('PATCH', `${root}/assignment`, body, by)
  const flags = async (id: string) => {
    const { isUnscheduled, isUnassigned } = (await send('GET', `/ext/assignment?id=${id}`)).assignment
    return { isUnscheduled, isUnassigned }
  }
  const both = (value: boolean) => ({ isUnscheduled: value, isUnassigned: value })

  test('have placeholders and no flags in v1', async () => {
    const { id, ...made } = await make(unplanned)
    assert.deepEqual([made.isUnscheduled, made.isUnassigned], [true, true])
    const shown = (await send('GET', `/api/assignment?id=${id}`)).assignment
    assert.equal(shown.userId, ann.id)
    assert.ok(!('isUnscheduled' in shown) && !('isUnassigned' in shown))
    assert.deepEqual(await flags((await make(unplanned, '/api')).id), both(false))
    assert.deepEqual(await flags((await make()).id), both(false))
  })

  const writes: Readonly<Record<string, (body: Body) => Promise<unknown>>> = {
    'an update of v1': (body) => change(bodyOf(body), '/api'),
    'an update of the extensions': ({ id, ...values }) => change({ id, ...values }),
    'a batch': (body) =>
      send('POST', '/ext/batch', {
        items: [
          { resource: 'assignment', operation: 'update', body: bodyOf(body) },
          {
            resource: 'project',
            operation: 'create',
            body: { name: 'Other', organizationId: workspace.organizationId },
          },
        ],
      }),
    async 'a command'(body) {
      const calls = openCommandCalls(commands.target)
      const { endDate, ...values } = body
      const seconds = Date.parse(String(endDate)) / 1000
      const message = endDate === undefined ? values : { ...values, endDate: { seconds } }
      const { token } = commands.administrator
      const { result } = await calls.call('UpdateExtAssignment', message, { token })
      calls.close()
      assert.equal(result.success, true)
    },
  }
  for (const [name, write] of Object.entries(writes))
    test(`${name} that changes the dates or the user clears the flag`, async () => {
      const { id } = await make(unplanned)
      await write({ id, name: 'Renamed' })
      assert.deepEqual(await flags(id), both(true), 'No placeholder has changed.')
      await write({ id, endDate: day(3) })
      assert.deepEqual(await flags(id), { isUnscheduled: false, isUnassigned: true })
      await write({ id, endDate: day(3), userId: bob.id })
      assert.deepEqual(await flags(id), both(false))
    })

  test('become planned or unplanned by an update of the flags', async () => {
    const { id } = await make(unplanned)
    await change({ id, endDate: day(5), userId: bob.id, ...unplanned })
    assert.deepEqual(await flags(id), both(true))
    await change({ id, ...both(false) })
    assert.deepEqual(await flags(id), both(false))
    await change({ id, ...unplanned })
    assert.deepEqual(await flags(id), both(true))
  })

  test('have a flag that matches the dates that were written last', async () => {
    const later = day(2)
    for (let round = 0; round < 20; round += 1) {
      const { id } = await make()
      await Promise.all([
        change({ id, startDate: later, endDate: later, isUnscheduled: true }),
        // Contains the previous dates, so it changes the dates only if it is executed second.
        change(bodyOf({ id, name: 'Renamed' }), '/api', round % 2 === 0 ? ann : rest.administrator),
      ])
      const { startDate, isUnscheduled } = (await send('GET', `/ext/assignment?id=${id}`)).assignment
      assert.equal(isUnscheduled, startDate.startsWith(later.slice(0, 10)), `round ${round}: ${startDate}`)
    }
  })

  test('are found by a query and shown live', async () => {
    const { id } = await make({ isUnscheduled: true })
    const query = new URLSearchParams({ filter: `isUnscheduled eq true and id in ('${id}')`, fields: 'id' })
    const found = await send('GET', `/ext/query/assignments?${query}`)
    assert.deepEqual(
      found.result.data.map((row: { id: string }) => row.id),
      [id],
    )
    const other = await workspace.project('Live', ann)
    const row = await make({ projectId: other, ...unplanned })
    const stream = await openEventStream(rest.address, `/ext/assignments?projectId=${other}`, {
      token: ann.token,
    })
    const nextFlag = async () => (await stream.next()).data.result.data[0].isUnscheduled
    assert.equal(await nextFlag(), true)
    await change({ id: row.id, startDate: day(1), endDate: day(1) })
    assert.equal(await nextFlag(), false)
    stream.close()
    const history = await send('GET', `/ext/history?resource=assignment&id=${row.id}`)
    const latest = history.result.data.find((change: { action: string }) => change.action === 'update')
    assert.deepEqual([latest.before.isUnscheduled, latest.after.isUnscheduled], [true, false])
  })

  test('do not match filters by their placeholders in lists of the extensions', async () => {
    const other = await workspace.project('Filters', ann)
    await make({ projectId: other, name: 'No dates', isUnscheduled: true })
    await make({ projectId: other, name: 'Nobody', isUnassigned: true })
    const namesIn = async (query: string, root = '/ext') =>
      (await send('GET', `${root}/assignments?projectId=${other}&sortColumn=name&${query}`)).result.data.map(
        ({ name }: { name: string }) => name,
      )
    assert.deepEqual(await namesIn(''), ['No dates', 'Nobody'])
    assert.deepEqual(await namesIn(`userId=${ann.id}`), ['No dates'])
    assert.deepEqual(await namesIn(`dateFrom=${day(-1)}`), ['Nobody'])
    assert.deepEqual(await namesIn(`userId=${ann.id}&dateTo=${day(1)}`, '/api'), ['No dates', 'Nobody'])
  })

  test('are left out of reports by user or by time', async () => {
    const other = await workspace.project('Sums', ann)
    await make({ projectId: other, ...unplanned })
    await make({ projectId: other })
    const sumBy = async (query: string) =>
      (await send('GET', `/ext/reports/assignments?projectId=${other}&${query}`)).result.total.assignments
    assert.equal(await sumBy('groupBy=project'), 2)
    assert.equal(await sumBy('groupBy=month'), 1)
    assert.equal(await sumBy(`groupBy=project&dateFrom=${day(-1).slice(0, 10)}`), 1)
    assert.equal(await sumBy('groupBy=person'), 1)
    assert.equal(await sumBy(`groupBy=project&userId=${ann.id}`), 1)
  })

  test('are in no calendar if they have no dates', async () => {
    const eva = await rest.signUp({ name: 'Eva' })
    const other = await workspace.project('Calendar', eva)
    const dates = { startDate: day(1), endDate: day(1), projectId: other, userId: eva.id }
    await make({ ...dates, name: 'No dates', isUnscheduled: true }, '/ext', eva)
    await make({ ...dates, name: 'Nobody', isUnassigned: true }, '/ext', eva)
    await make({ ...dates, name: 'Planned' }, '/ext', eva)
    const { secret } = await makeToken(rest, eva.token, { scopes: ['calendar:read'] })
    const namesIn = async (query = '') => {
      const text = await (await fetch(`${rest.address}/ext/calendar.ics?token=${secret}${query}`)).text()
      return [...text.matchAll(/SUMMARY:(.*)\r/g)].map(([, name]) => name).sort()
    }
    assert.deepEqual(await namesIn(), ['Planned'])
    assert.deepEqual(await namesIn(`&projectId=${other}`), ['Nobody', 'Planned'])
  })

  describe('notify', { concurrency: 1 }, () => {
    const kindsAbout = async (person: Person, assignmentId: string) => {
      await followChanges(rest.database)
      const { result } = await send('GET', '/ext/notifications?pageSize=100', undefined, person)
      return result.data
        .filter((notification: { assignmentId: string }) => notification.assignmentId === assignmentId)
        .map(({ kind }: { kind: string }) => kind)
    }

    test('users who become responsible', async () => {
      const { id } = await make({ isUnassigned: true, userId: bob.id })
      assert.deepEqual(await kindsAbout(bob, id), [])
      await change({ id, isUnassigned: false })
      assert.deepEqual(await kindsAbout(bob, id), ['assigned'])
      const assignment = await make({ isUnassigned: true, userId: bob.id })
      await change({ id: assignment.id, isUnassigned: false }, '/ext', bob)
      assert.deepEqual(await kindsAbout(bob, assignment.id), [])
      await change({ id: assignment.id, isUnassigned: true })
      await change({ id: assignment.id, userId: bob.id, isUnassigned: true })
      assert.deepEqual(await kindsAbout(bob, assignment.id), [])
      const given = await make({ isUnassigned: true })
      await change(bodyOf({ id: given.id, userId: bob.id }), '/api')
      assert.deepEqual(await kindsAbout(bob, given.id), ['assigned'])
    })

    test('no user who becomes the placeholder of an unassigned assignment', async () => {
      const { id } = await make({ isUnassigned: true })
      await change({ id, userId: bob.id, isUnassigned: true })
      assert.deepEqual(await kindsAbout(bob, id), [])
      await change({ id, userId: ann.id, isUnassigned: false })
      assert.deepEqual(await kindsAbout(bob, id), [])
    })

    test('no user of a due date that is a placeholder', async () => {
      await awayFromMidnight()
      const dates = { startDate: day(-3), endDate: day(1), userId: bob.id }
      const noDates = await make({ ...dates, isUnscheduled: true })
      const nobody = await make({ ...dates, isUnassigned: true })
      await workspace.make('userAssignment', { assignmentId: nobody.id, userId: ann.id }, ann)
      await rest.database.query(
        sql`update notification_progress set reminded_on = reminded_on - 1 returning 1`,
      )
      // The host reminds by itself once a minute, perhaps now.
      await remind(rest.database)
      assert.deepEqual(await kindsAbout(bob, noDates.id), ['assigned'])
      assert.deepEqual(await kindsAbout(bob, nobody.id), [])
      assert.deepEqual(await kindsAbout(ann, nobody.id), ['dueTomorrow'])
    })
  })
})
