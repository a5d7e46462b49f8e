import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import {
  type BatchSetting,
  batchSetting,
  create,
  remove,
  restore,
  statusesOf,
  update,
} from '../support/batches.ts'
import type { Answer } from '../support/rest-host.ts'

describe('A batch', () => {
  let rest: BatchSetting['rest']
  let workspace: BatchSetting['workspace']
  let all: BatchSetting['all']
  let each: BatchSetting['each']
  let get: BatchSetting['get']
  let countOf: BatchSetting['countOf']
  let assignment: BatchSetting['assignment']
  before(async () => {
    ;({ rest, workspace, all, each, get, countOf, assignment } = await batchSetting())
  })
  after(() => rest.stop())

  test('makes a project with all that belongs to it, whose items refer to each other by labels in any order', async () => {
    const { body, status } = await all([
      create('comment', { text: '= **Go**', assignmentId: '@first', userId: rest.administrator.id }),
      create('assignment', assignment({ projectId: '@moon', description: null }), 'first'),
      create('appointment', {
        keepDate: '2026-01-05',
        amountHours: 0.07,
        assignmentId: '@first',
        userId: rest.administrator.id,
      }),
      create('project', { name: ' Moon ', organizationId: '@agency' }, 'moon'),
      create('organization', { name: 'Agency', description: 'Space "quoted"\n\\ text' }, 'agency'),
    ])
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(statusesOf({ body } as Answer), [200, 200, 200, 200, 200])
    const [, first, appointment, moon, agency] = body.results
    const read = (await get('assignment', first.id)).body.assignment
    assert.deepEqual(
      [read.projectId, read.amountHours, read.endDate, read.description],
      [moon.id, 4.25, '2026-01-09T12:00:00.123456Z', null],
    )
    assert.equal((await get('appointment', appointment.id)).body.appointment.amountHours, 0.07)
    assert.equal((await get('project', moon.id)).body.project.name, 'Moon')
    const organization = await get('organization', agency.id)
    assert.equal(organization.body.organization.description, 'Space "quoted"\n\\ text')
    assert.equal(organization.headers.get('etag'), agency.etag)
  })

  test('creates comments that belong to the caller when they name no user', async () => {
    const assignmentId = await workspace.assignment(
      await workspace.project('Commented'),
      rest.administrator.id,
    )
    const { body } = await each([
      create('comment', { text: 'Mine', assignmentId }),
      create('comment', { text: 'Mine too', assignmentId, userId: null }),
    ])
    for (const { id } of body.results) {
      const { body: found } = await rest.call('GET', `/ext/comment?id=${id}`, {
        token: rest.administrator.token,
      })
      assert.equal(found.comment.userId, rest.administrator.id)
    }
  })

  test('changes, removes and restores rows, and gives the tags that reading them gives', async () => {
    const [one, other, gone, back] = await Promise.all(
      ['One', 'Other', 'Gone', 'Back'].map(async (name) => (await workspace.make('impediment', { name })).id),
    )
    await workspace.write('DELETE', '/api/impediment', { ids: [back] })
    const { body } = await all([
      remove('impediment', gone),
      update('impediment', { id: one, name: 'First' }),
      restore('impediment', back),
      update('impediment', { id: other, name: 'Second' }),
    ])
    assert.deepEqual(statusesOf({ body } as Answer), [200, 200, 200, 200])
    assert.equal((await get('impediment', gone)).status, 404)
    assert.equal((await get('impediment', back)).status, 200)
    const second = await get('impediment', other)
    assert.equal(second.body.impediment.name, 'Second')
    assert.equal(second.headers.get('etag'), body.results[3].etag)
    assert.deepEqual(Object.keys(body.results[0]), ['statusCode'])
  })

  test('with eachForItself leaves out what is rejected, and says why', async () => {
    const name = `Each ${randomUUID()}`
    const { status, body } = await each([
      create('organization', { name }, 'works'),
      create('organization', {}, 'broken'),
      create('project', { name, organizationId: '@works' }),
      create('project', { name, organizationId: '@broken' }),
      remove('organization', workspace.organizationId, randomUUID()),
      remove('organization', randomUUID()),
    ])
    assert.equal(status, 200)
    assert.deepEqual(statusesOf({ body } as Answer), [200, 400, 200, 400, 404, 404])
    assert.deepEqual(body.results[1], {
      statusCode: 400,
      message: 'One or more validation errors occurred.',
      errors: { name: ['Name is required.'] },
    })
    assert.ok(body.results[3].errors.organizationId)
    assert.equal(await countOf('organizations', name), 1)
    assert.equal(await countOf('projects', name), 1)
    assert.equal((await get('organization', workspace.organizationId)).status, 200)
  })

  test('keeps the rules of accounts: one active account per login, and a new password ends the sessions', async () => {
    const login = `${randomUUID()}@example.com`
    const user = { name: 'Eve', login, password: 'Quite-1234-x' }
    const { body } = await each([
      create('user', user),
      create('user', { ...user, login: login.toUpperCase() }),
    ])
    assert.deepEqual(statusesOf({ body } as Answer), [200, 409])
    const { access_token: token } = await rest.identity.signIn(login, { password: user.password })
    assert.equal((await rest.call('GET', '/api/me', { token })).status, 200)
    const [row] = await rest.database.query<{ hash: string }>(
      sql`select password_hash as hash from users where login = ${login}`,
    )
    assert.notEqual(row?.hash, user.password)
    const change = { id: body.results[0].id, name: 'Eve', password: 'Other-1234-x' }
    assert.equal((await all([update('user', change)])).status, 200)
    await rest.identity.signIn(login, { password: change.password })
    const [session] = await rest.database.query<{ ended: boolean }>(sql`
      select bool_and(ended_at is not null) as ended from signin_sessions
      where user_id = ${change.id} and created_at < (select updated_at from users where id = ${change.id})`)
    assert.equal(session?.ended, true)
  })

  test('makes its caller a member of each project that it creates', async () => {
    const ann = await rest.signUp()
    const items = Array.from({ length: 30 }, (_, index) =>
      create('project', { name: `P ${index}`, organizationId: workspace.organizationId }, `p${index}`),
    )
    const tasks = items.map((_, index) =>
      create('assignment', assignment({ projectId: `@p${index}`, userId: ann.id })),
    )
    const { body, status } = await all([...tasks, ...items], ann)
    assert.equal(status, 200, JSON.stringify(body))
    const mine = await rest.call('GET', '/api/assignments', { token: ann.token })
    assert.equal(mine.body.result.totalCount, 30)
  })

  test('takes the tags of rows, and only of those that are as they say', async () => {
    const ids = await Promise.all(
      ['A', 'B', 'C'].map(async (name) => (await workspace.make('impediment', { name })).id as string),
    )
    const tags = await Promise.all(
      ids.map(async (id) => (await get('impediment', id)).headers.get('etag') ?? ''),
    )
    const { body } = await each([
      update('impediment', { id: ids[0], name: 'A2' }, tags[0]),
      update('impediment', { id: ids[1], name: 'B2' }, tags[0]),
      update('impediment', { id: ids[2], name: 'C2' }),
    ])
    assert.deepEqual(statusesOf({ body } as Answer), [200, 412, 200])
    const again = await all([update('impediment', { id: ids[0], name: 'A3' }, body.results[0].etag)])
    assert.equal(again.status, 200)
    assertEnvelope(await all([{ ...remove('impediment', ids[0], ids[1]), ifMatch: tags[1] ?? '' }]), 412)
  })

  test('leaves a line in the change log and in the history for each row, as single writes do', async () => {
    const { body } = await all([
      create('impediment', { name: 'Logged' }),
      create('impediment', { name: 'Logged' }),
    ])
    const [first, second] = body.results
    const lines = await rest.database.query<{ action: string; caller: string }>(
      sql`select action, caller from changes where row_id in (${first.id}, ${second.id})`,
    )
    assert.deepEqual(lines, Array(2).fill({ action: 'create', caller: rest.administrator.id }))
    await all([update('impediment', { id: first.id, name: 'Told' })])
    const kept = await rest.database.query<{ action: string; fields: { name: unknown } }>(
      sql`select action, fields from history where row_id = ${first.id} order by sequence`,
    )
    assert.deepEqual(
      kept.map(({ action, fields }) => [action, fields.name]),
      [
        ['create', 'Logged'],
        ['update', ['Logged', 'Told']],
      ],
    )
  })
})
