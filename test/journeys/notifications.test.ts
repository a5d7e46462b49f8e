import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { followChanges, remind } from '../../src/features/notifications/follow.ts'
import { notificationsMax } from '../../src/features/notifications/notifications.ts'
import { watchesMax } from '../../src/features/notifications/watching.ts'
import { fixture } from '../support/fixture.ts'
import { followFromNow } from '../support/follow-from-now.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { awayFromMidnight, until } from '../support/until.ts'

const day = (fromToday: number) => new Date(Date.now() + fromToday * 86_400_000).toISOString().slice(0, 10)

interface ListedNotification {
  readonly id: string
  readonly kind: string
  readonly assignmentId: string
  readonly workflowId: string | null
  readonly actorId: string | null
  readonly readAt: string | null
}

describe('Notifications', () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })
  const workspace = fixture(seed, rest)
  let projectId: string
  const ann = fixture(() => rest.signUp({ name: 'Ann' }))
  const bob = fixture(() => rest.signUp({ name: 'Bob' }))
  const cid = fixture(() => rest.signUp({ name: 'Cid' }))
  before(async () => {
    projectId = await workspace.project('Moon base', ann)
    await workspace.join(projectId, bob.id)
    await followFromNow(rest.database)
  })

  const read = async (person: Person, query = '', address = rest.address) => {
    const answer = await send(address, 'GET', `/ext/notifications?pageSize=100&${query}`, {
      token: person.token,
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }
  /** Follows the changes at once, as the host does within a second. */
  const listAbout = async (person: Person, assignmentId: string): Promise<ListedNotification[]> => {
    await followChanges(rest.database)
    const { data } = await read(person)
    return data.filter((row: ListedNotification) => row.assignmentId === assignmentId)
  }
  const kindsAbout = async (person: Person, assignmentId: string) =>
    (await listAbout(person, assignmentId)).map(({ kind }) => kind)
  const mark = (person: Person, body: unknown) => person.call('PATCH', '/ext/notifications', body)

  test('are created for the user to whom an assignment is given', async () => {
    const given = await workspace.assignment(projectId, bob.id)
    assert.deepEqual(await kindsAbout(bob, given), ['assigned'])
    await workspace.make('userAssignment', { assignmentId: given, userId: ann.id }, bob)
    assert.deepEqual(await kindsAbout(ann, given), ['assigned'])
    await workspace.write('PATCH', '/ext/assignment', { id: given, userId: ann.id }, ann)
    assert.deepEqual(await kindsAbout(ann, given), ['assigned'], 'not of their own change')
    assert.deepEqual(await kindsAbout(bob, given), ['assigned'])
  })

  test('are created for users who watch an assignment', async () => {
    const assignmentId = await workspace.assignment(projectId, ann.id)
    const watch = async (person: Person, isWatching: boolean | null) => {
      const { body, status } = await person.call('PATCH', '/ext/watch', { assignmentId, isWatching })
      assert.equal(status, 200, JSON.stringify(body))
      return body.watch
    }
    const comment = () => workspace.make('comment', { assignmentId, text: 'New' }, rest.administrator)
    assert.deepEqual(await watch(bob, true), { assignmentId, isWatching: true, isChosen: true })
    assert.deepEqual(await watch(ann, false), { assignmentId, isWatching: false, isChosen: true })
    await comment()
    assert.deepEqual(await kindsAbout(bob, assignmentId), ['commented'])
    assert.deepEqual(await kindsAbout(ann, assignmentId), ['assigned'])
    assert.deepEqual(await watch(bob, null), { assignmentId, isWatching: false, isChosen: false })
    assert.deepEqual(await watch(ann, null), { assignmentId, isWatching: true, isChosen: false })
    await comment()
    assert.deepEqual(await kindsAbout(bob, assignmentId), ['commented'])
    assert.deepEqual(await kindsAbout(ann, assignmentId), ['commented', 'assigned'])
    const path = `/ext/watch?assignmentId=${assignmentId}`
    assert.equal((await ann.call('GET', path)).body.watch.isWatching, true)
    assert.equal((await cid.call('GET', path)).status, 404)
    const rejected = await ann.call('PATCH', '/ext/watch', { isWatching: 1 })
    assert.deepEqual(Object.keys(rejected.body.errors), ['assignmentId', 'isWatching'])
  })

  test('are created for users who take part in an assignment', async () => {
    const ivo = await rest.signUp({ name: 'Ivo' })
    await workspace.join(projectId, ivo.id)
    const { workflowId, assignmentTypeId } = workspace
    const values = {
      name: 'Write',
      startDate: day(1),
      endDate: day(9),
      amountHours: 4,
      workflowId,
      assignmentTypeId,
    }
    const { id: assignmentId } = await workspace.make(
      'assignment',
      { ...values, projectId, userId: ann.id },
      ann,
    )
    const comment = (by: Person, text = 'New') => workspace.make('comment', { assignmentId, text }, by)
    const isWatching = async (person: Person) =>
      (await person.call('GET', `/ext/watch?assignmentId=${assignmentId}`)).body.watch.isWatching
    const choose = (person: Person, isWatching: boolean | null) =>
      person.call('PATCH', '/ext/watch', { assignmentId, isWatching })
    await workspace.write('PATCH', '/ext/assignment', { id: assignmentId, userId: ivo.id }, ann)
    assert.equal(await isWatching(ann), true, 'the creator is no longer responsible')
    assert.equal(await isWatching(bob), false)
    await comment(ivo)
    assert.deepEqual(await kindsAbout(ann, assignmentId), ['commented'])
    assert.deepEqual(await kindsAbout(bob, assignmentId), [])

    await comment(ivo, `Please, @[user:${bob.id.toUpperCase()}]`)
    assert.equal(await isWatching(bob), true, 'mentioned in a comment')
    await comment(ivo)
    assert.deepEqual(await kindsAbout(bob, assignmentId), ['commented', 'mentioned'])
    const jan = await rest.signUp({ name: 'Jan' })
    await workspace.join(projectId, jan.id)
    assert.equal(await isWatching(jan), false)
    await workspace.write(
      'PATCH',
      '/ext/assignment',
      { id: assignmentId, description: `@[user:${jan.id}]` },
      ann,
    )
    assert.equal(await isWatching(jan), true, 'mentioned in the description')

    const kim = await rest.signUp({ name: 'Kim' })
    await workspace.join(projectId, kim.id)
    const { id: written } = await comment(kim)
    assert.equal(await isWatching(kim), true, 'has commented')
    await comment(ann)
    assert.deepEqual(await kindsAbout(kim, assignmentId), ['commented'])
    await choose(kim, false)
    await comment(ann)
    assert.equal(await isWatching(kim), false)
    assert.deepEqual(await kindsAbout(kim, assignmentId), ['commented'], 'has turned notifications off')
    await choose(kim, null)
    await workspace.write('DELETE', '/ext/comment', { ids: [written] }, kim)
    assert.equal(await isWatching(kim), false, 'the only comment is removed')

    // A user who is no longer responsible gets no further notifications, unless they watch.
    await workspace.write('PATCH', '/ext/assignment', { id: assignmentId, userId: kim.id }, ann)
    await choose(kim, true)
    await workspace.write('PATCH', '/ext/assignment', { id: assignmentId, userId: ivo.id }, ann)
    assert.equal(await isWatching(kim), true, 'watches')
    await choose(kim, null)
    assert.equal(await isWatching(kim), false)
  })

  test('can be chosen for a limited number of assignments', async () => {
    const dora = await rest.signUp({ name: 'Dora' })
    await workspace.join(projectId, dora.id)
    const [first, second, last] = [
      await workspace.assignment(projectId, ann.id),
      await workspace.assignment(projectId, ann.id),
      await workspace.assignment(projectId, ann.id),
    ]
    await rest.database.query(sql`
      with made as (
        insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id, number, rank)
        select gen_random_uuid(), 'One of many', start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id, 1000 + n, rank
        from assignments, generate_series(1, ${watchesMax - 1}::int) as n where id = ${first} returning id)
      insert into watches (user_id, assignment_id, is_watching) select ${dora.id}::uuid, id, true from made returning 1`)
    const answers = await Promise.all(
      [second, last].map((assignmentId) =>
        dora.call('PATCH', '/ext/watch', { assignmentId, isWatching: true }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    const again = { assignmentId: answers[0]?.status === 200 ? second : last, isWatching: false }
    assert.equal((await dora.call('PATCH', '/ext/watch', again)).status, 200)
  })

  test('report comments to participants', async () => {
    const assignmentId = await workspace.assignment(projectId, ann.id)
    await workspace.make('userAssignment', { assignmentId, userId: bob.id })
    const comment = await workspace.make(
      'comment',
      { assignmentId, text: `Look, @[user:${bob.id}] and @[user:${cid.id}]` },
      ann,
    )
    const [newest] = await listAbout(bob, assignmentId)
    assert.deepEqual(
      { ...newest, id: '', at: '' },
      {
        id: '',
        at: '',
        kind: 'mentioned',
        assignmentId,
        assignmentName: 'Write',
        projectId,
        commentId: comment.id,
        workflowId: null,
        actorId: ann.id,
        readAt: null,
      },
    )
    await workspace.make('comment', { assignmentId, text: 'And again' }, ann)
    assert.deepEqual(await kindsAbout(bob, assignmentId), ['commented', 'mentioned', 'assigned'])
    assert.deepEqual(await kindsAbout(ann, assignmentId), ['assigned'])
    // Cid is not a member when mentioned, so joining later creates no notification.
    await workspace.join(projectId, cid.id)
    assert.deepEqual(await kindsAbout(cid, assignmentId), [])
    await workspace.write(
      'PATCH',
      '/ext/assignment',
      { id: assignmentId, description: `@[user:${cid.id}]` },
      bob,
    )
    assert.deepEqual(await kindsAbout(cid, assignmentId), ['mentioned'])
    await workspace.write(
      'PATCH',
      '/ext/assignment',
      { id: assignmentId, description: `Please, @[user:${cid.id}]` },
      bob,
    )
    assert.deepEqual(await kindsAbout(cid, assignmentId), ['mentioned'], 'once for each name in a text')
  })

  test('report new and removed impediments', async () => {
    const assignmentId = await workspace.assignment(projectId, bob.id)
    const { impedimentId } = workspace
    const { id } = await workspace.make('assignmentImpediment', { assignmentId, impedimentId })
    await workspace.write('DELETE', '/api/assignmentImpediment', { ids: [id] })
    assert.deepEqual(await kindsAbout(bob, assignmentId), ['unblocked', 'blocked', 'assigned'])
  })

  test('report that an assignment no longer waits for another one', async () => {
    const first = await workspace.assignment(projectId, ann.id)
    const waiting = await workspace.assignment(projectId, bob.id)
    await workspace.make('assignmentDependency', { assignmentId: waiting, blockedById: first }, ann)
    const done = await workspace.make('workflow', { name: 'Done', order: 9 })
    await workspace.write('PATCH', '/ext/workflow', { id: done.id, isDone: true })
    await workspace.write('PATCH', '/ext/assignment', { id: first, workflowId: done.id }, ann)
    assert.deepEqual(await kindsAbout(bob, waiting), ['dependencyDone', 'assigned'])
  })

  test('about due dates are created once', async () => {
    await awayFromMidnight()
    const dates = (end: number) => ({ startDate: day(-30), endDate: day(end) })
    const [tomorrow, yesterday, later, longAgo] = await Promise.all(
      [1, -1, 3, -30].map((end) => workspace.assignment(projectId, bob.id, dates(end))),
    )
    // A commenter is notified of changes, but not of due dates.
    await workspace.make('comment', { assignmentId: tomorrow, text: 'Soon' }, ann)
    await rest.database.query(sql`update notification_progress set reminded_on = reminded_on - 1 returning 1`)
    await Promise.all([remind(rest.database), remind(rest.database), remind(rest.database)])
    assert.deepEqual(await kindsAbout(bob, tomorrow ?? ''), ['dueTomorrow', 'commented', 'assigned'])
    assert.deepEqual(await kindsAbout(ann, tomorrow ?? ''), [])
    assert.deepEqual(await kindsAbout(bob, yesterday ?? ''), ['overdue', 'assigned'])
    assert.deepEqual(await kindsAbout(bob, later ?? ''), ['assigned'])
    assert.deepEqual(await kindsAbout(bob, longAgo ?? ''), ['assigned'])
    assert.equal(await remind(rest.database), false)
  })

  test('are created once by two instances', async () => {
    await using another = await rest.startAnother()
    const dan = await rest.signUp({ name: 'Dan' })
    await workspace.join(projectId, dan.id)
    const assignments = await Promise.all(
      Array.from({ length: 30 }, () => workspace.assignment(projectId, dan.id)),
    )
    await Promise.all([followChanges(rest.database), followChanges(rest.database)])
    await until(async () => (await read(dan, '', another.address)).totalCount >= 30, 'all notifications')
    const { data, unreadCount } = await read(dan, '', another.address)
    assert.deepEqual(
      data.map((row: ListedNotification) => row.assignmentId).sort(),
      [...assignments].sort(),
      'each of them once',
    )
    assert.equal(unreadCount, 30)
    assert.deepEqual((await read(dan, 'pageNumber=2', another.address)).data, [])
  })

  test('are shown only while the user can see their assignment', async () => {
    const eve = await rest.signUp({ name: 'Eve' })
    const membership = await workspace.join(projectId, eve.id)
    const assignmentId = await workspace.assignment(projectId, eve.id)
    assert.deepEqual(await kindsAbout(eve, assignmentId), ['assigned'])
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.deepEqual(await read(eve), {
      data: [],
      totalCount: 0,
      pageNumber: 1,
      pageSize: 100,
      totalPages: 0,
      unreadCount: 0,
    })
    await workspace.join(projectId, eve.id)
    assert.equal((await read(eve)).totalCount, 1)
  })

  test('are marked as read and unread by their owner only, by id, kind or all', async () => {
    const fay = await rest.signUp({ name: 'Fay' })
    await workspace.join(projectId, fay.id)
    const assignmentId = await workspace.assignment(projectId, fay.id)
    await workspace.make('comment', { assignmentId, text: 'Hello' }, ann)
    const [commented, assigned] = await listAbout(fay, assignmentId)
    assert.deepEqual((await mark(bob, { isRead: true, ids: [commented?.id] })).body, { count: 0 })
    assert.deepEqual((await mark(fay, { isRead: true, ids: [commented?.id] })).body, { count: 1 })
    assert.deepEqual((await mark(fay, { isRead: true, ids: [commented?.id] })).body, { count: 0 })
    const { data, unreadCount } = await read(fay, 'unread=true')
    assert.deepEqual([data.map(({ id }: ListedNotification) => id), unreadCount], [[assigned?.id], 1])
    assert.deepEqual((await mark(fay, { isRead: true, all: true, kind: ['commented'] })).body, { count: 0 })
    assert.deepEqual((await mark(fay, { isRead: true, all: true })).body, { count: 1 })
    assert.deepEqual((await mark(fay, { isRead: false, all: true, kind: ['commented'] })).body, { count: 1 })
    assert.equal((await read(fay, 'kind=commented,assigned')).totalCount, 2)
    assert.equal((await read(fay, 'kind=assigned&unread=true')).totalCount, 0)
  })

  test('report several moves to participants as one', async () => {
    const assignmentId = await workspace.assignment(projectId, bob.id)
    await followChanges(rest.database)
    const { id: review } = await workspace.make('workflow', { name: 'Review', order: 7 })
    const { id: done } = await workspace.make('workflow', { name: 'Done', order: 8 })
    const move = (workflowId: string, by: Person) =>
      workspace.write('PATCH', '/ext/assignment', { id: assignmentId, workflowId }, by)
    const movesOf = async (person: Person) =>
      (await listAbout(person, assignmentId)).filter(({ kind }) => kind === 'stageChanged')
    await move(review, ann)
    const [notification, ...further] = await movesOf(bob)
    assert.deepEqual(
      { workflowId: notification?.workflowId, actorId: notification?.actorId, further },
      { workflowId: review, actorId: ann.id, further: [] },
    )
    assert.deepEqual(await movesOf(cid), [], 'is not involved')
    await move(done, bob)
    assert.deepEqual(await movesOf(bob), [notification], 'not of their own change')
    await mark(bob, { isRead: true, all: true })
    await move(review, ann)
    await move(done, ann)
    const moves = await movesOf(bob)
    assert.deepEqual(
      moves.map(({ id, workflowId, readAt }) => ({ id, workflowId, readAt })),
      [{ id: notification?.id, workflowId: done, readAt: null }],
    )
    await ann.call('PATCH', '/ext/watch', { assignmentId, isWatching: true })
    await workspace.write(
      'PATCH',
      '/ext/assignment',
      { id: assignmentId, workflowId: review, userId: cid.id },
      bob,
    )
    assert.equal((await movesOf(ann))[0]?.workflowId, review, 'watches')
    await workspace.join(projectId, cid.id)
    assert.deepEqual(await kindsAbout(cid, assignmentId), ['assigned'], 'one notification for each change')
  })

  test('have a live listing, which follows new ones, read marks and lost access', async () => {
    const gus = await rest.signUp({ name: 'Gus' })
    const membership = await workspace.join(projectId, gus.id)
    await using stream = await openEventStream(rest.address, '/ext/notifications?pageSize=1', {
      token: gus.token,
    })
    const untilUnread = (count: number) => stream.nextWhere(({ data }) => data?.result?.unreadCount === count)
    await untilUnread(0)
    await workspace.assignment(projectId, gus.id)
    await untilUnread(1)
    await mark(gus, { isRead: true, all: true })
    await untilUnread(0)
    await mark(gus, { isRead: false, all: true })
    await untilUnread(1)
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    await untilUnread(0)
  })

  test(`are limited to ${notificationsMax} for each account`, async () => {
    const hal = await rest.signUp({ name: 'Hal' })
    await workspace.join(projectId, hal.id)
    const old = await workspace.assignment(projectId, hal.id)
    assert.deepEqual(await kindsAbout(hal, old), ['assigned'])
    await rest.database.query(sql`
      insert into notifications (user_id, kind, assignment_id, cause, at)
      select ${hal.id}, 'commented', ${old}, number::text, now() + make_interval(hours => number)
      from generate_series(1, ${notificationsMax}::int) as number returning 1`)
    await workspace.assignment(projectId, hal.id)
    await followChanges(rest.database)
    const [row] = await rest.database.query<{ count: number; oldest: number }>(sql`
      select count(*) as count, count(*) filter (where kind = 'assigned') as oldest from notifications where user_id = ${hal.id}`)
    assert.deepEqual(row, { count: notificationsMax, oldest: 0 })
  })

  for (const [path, errors] of Object.entries({
    'unread=yes': { unread: ['Unread must be true or false.'] },
    'pageNumber=0': { pageNumber: ['PageNumber must be a whole number from 1 to 21474836.'] },
    'kind=assigned&kind=overdue': { kind: ['Kind must be given once.'] },
  }))
    test(`cannot be listed with ${path}`, async () => {
      const answer = await ann.call('GET', `/ext/notifications?${path}`)
      assert.equal(answer.status, 400)
      assert.deepEqual(answer.body.errors, errors)
    })

  for (const [body, key] of [
    [{ all: true }, 'isRead'],
    [{ isRead: true }, 'ids'],
    [{ isRead: true, all: true, ids: [] }, 'ids'],
    [{ isRead: true, ids: ['1'] }, 'ids'],
    [{ isRead: true, all: true, kind: 'assigned' }, 'kind'],
  ] as const)
    test(`cannot be marked with ${JSON.stringify(body)}`, async () => {
      const answer = await mark(ann, body)
      assert.equal(answer.status, 400)
      assert.deepEqual(Object.keys(answer.body.errors), [key])
    })
})
