import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { zeroUuid } from '../../src/model/field-kinds.ts'
import { pathOf } from '../contract/resources.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { batchSetting, create, type Item, remove, restore, statusesOf, update } from '../support/batches.ts'
import { fixture } from '../support/fixture.ts'
import { type Answer, type Person, send } from '../support/rest-host.ts'

describe('A batch', () => {
  const batches = fixture(batchSetting)

  test('creates a project with related rows that refer to each other by labels', async () => {
    const { body, status } = await batches.all([
      create('comment', { text: '= **Go**', assignmentId: '@first', userId: batches.rest.administrator.id }),
      create('assignment', batches.assignment({ projectId: '@moon', description: null }), 'first'),
      create('appointment', {
        keepDate: '2026-01-05',
        amountHours: 0.07,
        assignmentId: '@first',
        userId: batches.rest.administrator.id,
      }),
      create('project', { name: ' Moon ', organizationId: '@agency' }, 'moon'),
      create('organization', { name: 'Agency', description: 'Space "quoted"\n\\ text' }, 'agency'),
    ])
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(statusesOf({ body } as Answer), [200, 200, 200, 200, 200])
    const [, first, appointment, moon, agency] = body.results
    const read = (await batches.get('assignment', first.id)).body.assignment
    assert.deepEqual(
      [read.projectId, read.amountHours, read.endDate, read.description],
      [moon.id, 4.25, '2026-01-09T12:00:00.123456Z', null],
    )
    assert.equal((await batches.get('appointment', appointment.id)).body.appointment.amountHours, 0.07)
    assert.equal((await batches.get('project', moon.id)).body.project.name, 'Moon')
    const organization = await batches.get('organization', agency.id)
    assert.equal(organization.body.organization.description, 'Space "quoted"\n\\ text')
    assert.equal(organization.headers.get('etag'), agency.etag)
  })

  test('generates an id for a labelled row with the zero id', async () => {
    const { body, status } = await batches.all([
      create('organization', { id: zeroUuid, name: 'Labelled' }, 'agency'),
      create('project', { id: zeroUuid, name: 'Refers to it', organizationId: '@agency' }),
    ])
    assert.equal(status, 200, JSON.stringify(body))
    const [organization, project] = body.results
    assert.notEqual(organization.id, zeroUuid)
    const read = (await batches.get('project', project.id)).body.project
    assert.equal(read.organizationId, organization.id)
  })

  test('creates comments of the caller if they name no user', async () => {
    const assignmentId = await batches.workspace.assignment(
      await batches.workspace.project('Commented'),
      batches.rest.administrator.id,
    )
    const { body } = await batches.each([
      create('comment', { text: 'Mine', assignmentId }),
      create('comment', { text: 'Mine too', assignmentId, userId: null }),
    ])
    for (const { id } of body.results) {
      const { body: found } = await batches.rest.administrator.call('GET', `/ext/comment?id=${id}`)
      assert.equal(found.comment.userId, batches.rest.administrator.id)
    }
  })

  test('updates, removes and restores rows', async () => {
    const [first, second, removed, restored] = await Promise.all(
      ['One', 'Other', 'Gone', 'Back'].map(
        async (name) => (await batches.workspace.make('impediment', { name })).id,
      ),
    )
    await batches.workspace.write('DELETE', '/api/impediment', { ids: [restored] })
    const { body } = await batches.all([
      remove('impediment', removed),
      update('impediment', { id: first, name: 'First' }),
      restore('impediment', restored),
      update('impediment', { id: second, name: 'Second' }),
    ])
    assert.deepEqual(statusesOf({ body } as Answer), [200, 200, 200, 200])
    assert.equal((await batches.get('impediment', removed)).status, 404)
    assert.equal((await batches.get('impediment', restored)).status, 200)
    const read = await batches.get('impediment', second)
    assert.equal(read.body.impediment.name, 'Second')
    assert.equal(read.headers.get('etag'), body.results[3].etag)
    assert.deepEqual(Object.keys(body.results[0]), ['statusCode'])
  })

  test('with eachForItself skips rejected items', async () => {
    const name = `Each ${randomUUID()}`
    const { status, body } = await batches.each([
      create('organization', { name }, 'works'),
      create('organization', {}, 'broken'),
      create('project', { name, organizationId: '@works' }),
      create('project', { name, organizationId: '@broken' }),
      remove('organization', batches.workspace.organizationId, randomUUID()),
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
    assert.equal(await batches.countOf('organizations', name), 1)
    assert.equal(await batches.countOf('projects', name), 1)
    assert.equal((await batches.get('organization', batches.workspace.organizationId)).status, 200)
  })

  test('follows the rules of accounts', async () => {
    const login = `${randomUUID()}@example.com`
    const user = { name: 'Eve', login, password: 'Quite-1234-x' }
    const { body } = await batches.each([
      create('user', user),
      create('user', { ...user, login: login.toUpperCase() }),
    ])
    assert.deepEqual(statusesOf({ body } as Answer), [200, 409])
    const { access_token: token } = await batches.rest.identity.signIn(login, { password: user.password })
    assert.equal((await batches.rest.call('GET', '/api/me', { token })).status, 200)
    const [row] = await batches.rest.database.query<{ hash: string }>(
      sql`select password_hash as hash from users where login = ${login}`,
    )
    assert.notEqual(row?.hash, user.password)
    const change = { id: body.results[0].id, name: 'Eve', password: 'Other-1234-x' }
    assert.equal((await batches.all([update('user', change)])).status, 200)
    await batches.rest.identity.signIn(login, { password: change.password })
    const [session] = await batches.rest.database.query<{ ended: boolean }>(sql`
      select bool_and(ended_at is not null) as ended from signin_sessions
      where user_id = ${change.id} and created_at < (select updated_at from users where id = ${change.id})`)
    assert.equal(session?.ended, true)
  })

  test('makes its caller a member of each project that it creates', async () => {
    const ann = await batches.rest.signUp()
    const { organizationId } = batches.workspace
    const items = Array.from({ length: 30 }, (_, index) =>
      create('project', { name: `P ${index}`, organizationId }, `p${index}`),
    )
    const tasks = items.map((_, index) =>
      create('assignment', batches.assignment({ projectId: `@p${index}`, userId: ann.id })),
    )
    const { body, status } = await batches.all([...tasks, ...items], ann)
    assert.equal(status, 200, JSON.stringify(body))
    const mine = await batches.rest.call('GET', '/api/assignments', { token: ann.token })
    assert.equal(mine.body.result.totalCount, 30)
  })

  test('accepts ETags, and rejects the items whose ETags do not match', async () => {
    const ids = await Promise.all(
      ['A', 'B', 'C'].map(
        async (name) => (await batches.workspace.make('impediment', { name })).id as string,
      ),
    )
    const tags = await Promise.all(
      ids.map(async (id) => (await batches.get('impediment', id)).headers.get('etag') ?? ''),
    )
    const { body } = await batches.each([
      update('impediment', { id: ids[0], name: 'A2' }, tags[0]),
      update('impediment', { id: ids[1], name: 'B2' }, tags[0]),
      update('impediment', { id: ids[2], name: 'C2' }),
    ])
    assert.deepEqual(statusesOf({ body } as Answer), [200, 412, 200])
    const again = await batches.all([update('impediment', { id: ids[0], name: 'A3' }, body.results[0].etag)])
    assert.equal(again.status, 200)
    assertEnvelope(
      await batches.all([{ ...remove('impediment', ids[0], ids[1]), ifMatch: tags[1] ?? '' }]),
      412,
    )
  })

  test('adds an entry to the change log and to the history for each row, like single writes', async () => {
    const { body } = await batches.all([
      create('impediment', { name: 'Logged' }),
      create('impediment', { name: 'Logged' }),
    ])
    const [first, second] = body.results
    const lines = await batches.rest.database.query<{ action: string; caller: string }>(
      sql`select action, caller from changes where row_id in (${first.id}, ${second.id})`,
    )
    assert.deepEqual(lines, Array(2).fill({ action: 'create', caller: batches.rest.administrator.id }))
    await batches.all([update('impediment', { id: first.id, name: 'Renamed' })])
    const entries = await batches.rest.database.query<{ action: string; fields: { name: unknown } }>(
      sql`select action, fields from history where row_id = ${first.id} order by sequence`,
    )
    assert.deepEqual(
      entries.map(({ action, fields }) => [action, fields.name]),
      [
        ['create', 'Logged'],
        ['update', ['Logged', 'Renamed']],
      ],
    )
  })
})

describe('A rejected batch', () => {
  const batches = fixture(batchSetting)

  test('has the status of its rejected item', async () => {
    const name = `Never ${randomUUID()}`
    const answer = await batches.all([
      create('organization', { name }),
      create('project', { name, organizationId: randomUUID() }),
      create('project', { name, organizationId: batches.workspace.organizationId }),
    ])
    assertEnvelope(answer, 400)
    assert.deepEqual(answer.body.errors, {
      'items[1].organizationId': ['OrganizationId must refer to an active organization.'],
    })
    assert.equal(await batches.countOf('organizations', name), 0)
    assert.equal(await batches.countOf('projects', name), 0)
    const missing = await batches.all([create('organization', { name }), remove('project', randomUUID())])
    assertEnvelope(missing, 404)
    assert.deepEqual(missing.body.errors, { 'items[1]': ['Project was not found.'] })
    assert.equal(await batches.countOf('organizations', name), 0)
    const invalid = await batches.all([
      create('organization', {}),
      update('project', { id: 'x' }),
      remove('user'),
    ])
    assertEnvelope(invalid, 400)
    assert.equal(
      Object.keys(invalid.body.errors).join(' '),
      'items[0].name items[1].id items[1].name items[1].organizationId items[2].ids',
    )
  })

  test('does not wait for locked rows that its caller cannot see', async () => {
    const outsider = await batches.rest.signUp()
    const foreign = await batches.workspace.project('Foreign')
    const task = await batches.workspace.assignment(foreign, batches.rest.administrator.id)
    const answer = await batches.rest.database.transaction(async (transaction) => {
      await transaction.query(sql`select from assignments where id = ${task} for update`)
      return batches.all(
        [update('assignment', batches.assignment({ id: task, projectId: foreign }))],
        outsider,
      )
    })
    assertEnvelope(answer, 404)
  })

  test('has exactly the errors of the single operations', async () => {
    const [ann, bob] = [await batches.rest.signUp(), await batches.rest.signUp()]
    const [hers, foreign] = [
      await batches.workspace.project('Hers', ann),
      await batches.workspace.project('Foreign'),
    ]
    const task = await batches.workspace.assignment(hers, ann.id)
    const foreignTask = await batches.workspace.assignment(foreign, bob.id)
    await batches.workspace.join(hers, bob.id)
    const bobs = await batches.workspace.appointment(task, bob.id)
    const organization = await batches.workspace.make('organization', { name: 'Busy' })
    await batches.workspace.make('project', { name: 'Blocks', organizationId: organization.id })
    const removedProject = await batches.workspace.make('project', {
      name: 'Gone',
      organizationId: (await batches.workspace.make('organization', { name: 'Gone' })).id,
    })
    await batches.workspace.write('DELETE', '/api/project', { ids: [removedProject.id] })
    await batches.workspace.write('DELETE', '/api/organization', { ids: [removedProject.organizationId] })
    const appointment = { keepDate: '2026-01-05', amountHours: 1, assignmentId: task, userId: ann.id }
    const project = { id: hers, name: 'Hers', organizationId: batches.workspace.organizationId }
    const { administrator } = batches.rest
    const cases: readonly (readonly [description: string, caller: Person, item: Item])[] = [
      ['a missing name', ann, create('project', { organizationId: batches.workspace.organizationId })],
      ['every violation at once', ann, create('appointment', { amountHours: 0.001, keepDate: 'x' })],
      ['a reference to nothing', ann, create('project', { name: 'P', organizationId: randomUUID() })],
      [
        'several references to nothing',
        ann,
        create('userAssignment', { userId: randomUUID(), assignmentId: randomUUID() }),
      ],
      ['an id that is in use', ann, create('project', { ...project, id: foreign })],
      ['a catalog for members', ann, create('workflow', { name: 'W', order: 1 })],
      ['accounts for members', ann, create('user', {})],
      ['the time of another user', ann, create('appointment', { ...appointment, userId: bob.id })],
      ['a foreign project', ann, create('appointment', { ...appointment, assignmentId: foreignTask })],
      [
        'a comment on a hidden assignment',
        ann,
        create('comment', { text: 'Hi', assignmentId: foreignTask, userId: ann.id }),
      ],
      [
        'a comment on nothing',
        ann,
        create('comment', { text: 'Hi', assignmentId: randomUUID(), userId: ann.id }),
      ],
      [
        'a login that is in use',
        administrator,
        create('user', { name: 'A', login: ann.login, password: 'Quite-1234-x' }),
      ],
      [
        'a guessable password',
        administrator,
        create('user', { name: 'A', login: 'Ann-1@example.com', password: 'Ann-1@example.com' }),
      ],
      ['a missing row', ann, update('project', { ...project, id: randomUUID() })],
      ['a row that cannot be seen', ann, update('project', { ...project, id: foreign })],
      ['a stale version', ann, update('project', { ...project, expectedVersion: '2020-01-01' })],
      ['another tag', ann, update('project', project, '"other"')],
      ['another tag on a removal', ann, { ...remove('project', hers), ifMatch: '"other"' }],
      ['a tag on a new row', ann, { ...create('project', project), ifMatch: '"any"' }],
      ['a change of the time of another user', ann, update('appointment', { ...appointment, id: bobs })],
      [
        'time given to another user',
        bob,
        update('appointment', { ...appointment, id: bobs, userId: ann.id }),
      ],
      [
        'a move to a foreign project',
        ann,
        update('assignment', batches.assignment({ id: task, projectId: foreign })),
      ],
      [
        'a move to nothing',
        ann,
        update('assignment', batches.assignment({ id: task, projectId: randomUUID() })),
      ],
      [
        'a password that is the login',
        administrator,
        update('user', { id: ann.id, name: 'A', password: ann.login }),
      ],
      ['a removal of a row in use', administrator, remove('organization', organization.id)],
      ['a removal of the time of another user', ann, remove('appointment', bobs)],
      ['a removal without ids', ann, remove('project')],
      ['a restore of an active row', ann, restore('project', hers)],
      ['a restore under a removed row', administrator, restore('project', removedProject.id)],
      ['a restore of one row twice', ann, restore('project', hers, hers)],
    ]
    const methods: Readonly<Record<string, string>> = {
      create: 'POST',
      update: 'PATCH',
      remove: 'DELETE',
      restore: 'POST',
    }
    for (const [description, caller, item] of cases) {
      const path = `${pathOf(item.resource as 'project')}${item.operation === 'restore' ? '/restore' : ''}`
      const single = await batches.rest.call(methods[item.operation] ?? '', path, {
        token: caller.token,
        body: item.body,
        headers: item.ifMatch === undefined ? {} : { 'if-match': item.ifMatch },
      })
      assert.ok(single.status >= 400, `${description}: ${single.status}`)
      // The item is between others, so that its statement has several items.
      const alongside = create('impediment', {})
      const { body } = await batches.each([alongside, item, alongside], caller)
      assert.deepEqual(body.results[1], single.body, description)
      const { status, body: whole } = await batches.all([item], caller)
      assert.deepEqual([status, whole.message], [single.status, single.body.message], description)
      const { errors } = single.body
      const keys = errors ? Object.keys(errors).map((key) => `items[0].${key}`) : ['items[0]']
      assert.deepEqual(Object.keys(whole.errors), keys, description)
    }
  })

  const rejections: readonly (readonly [description: string, body: object, key: string])[] = [
    ['without items', {}, 'items'],
    ['of no items', { items: [] }, 'items'],
    ['of more than 1000 items', { items: Array(1001).fill({}) }, 'items'],
    ['of another mode', { mode: 'some', items: [remove('project', randomUUID())] }, 'mode'],
    ['with an item that is null', { items: [null] }, 'items[0]'],
    [
      'with an unknown operation',
      { items: [{ operation: 'read', resource: 'project', body: {} }] },
      'items[0].operation',
    ],
    [
      'with an unknown resource',
      { items: [{ operation: 'remove', resource: 'person', body: {} }] },
      'items[0].resource',
    ],
    ['with a row that needs a file', { items: [create('attachment', { name: 'a' })] }, 'items[0].operation'],
    [
      'with a body that is an array',
      { items: [{ operation: 'remove', resource: 'project', body: [] }] },
      'items[0].body',
    ],
    ['with a body that is null', { items: [{ ...create('project', {}, 'a'), body: null }] }, 'items[0].body'],
    [
      'with a label twice',
      { items: [create('project', {}, 'a'), create('project', {}, 'a')] },
      'items[1].label',
    ],
    ['with an invalid label', { items: [create('project', {}, 'a b')] }, 'items[0].label'],
    ['with a label on a removal', { items: [{ ...remove('project'), label: 'a' }] }, 'items[0].label'],
    [
      'with a reference to a label that no item has',
      { items: [create('project', { organizationId: '@none' })] },
      'items[0].organizationId',
    ],
    [
      'with an ETag that is not a string',
      { items: [{ ...remove('project'), ifMatch: 1 }] },
      'items[0].ifMatch',
    ],
    [
      'that names more than 1000 rows',
      { items: Array.from({ length: 11 }, () => remove('project', ...Array(100).fill('x'))) },
      'items',
    ],
    [
      'with more than 10 passwords',
      { items: Array.from({ length: 11 }, () => create('user', { password: 'x' })) },
      'items',
    ],
  ]
  for (const [description, body, key] of rejections)
    test(`${description} is rejected with 400 under ${key}`, async () => {
      for (const mode of ['allOrNothing', 'eachForItself']) {
        const answer = await batches.post({ mode, ...body })
        assertEnvelope(answer, 400)
        assert.ok(Object.keys(answer.body.errors).includes(key), JSON.stringify(answer.body))
      }
    })

  test('with eachForItself rejects a second item that writes the same row', async () => {
    const { id } = await batches.workspace.make('impediment', { name: 'Twice' })
    const { body } = await batches.each([
      update('impediment', { id, name: 'A' }),
      update('impediment', { id, name: 'B' }),
      create('impediment', { id: id.replace(/^./, 'f'), name: 'C' }),
      create('impediment', { id: id.replace(/^./, 'f'), name: 'D' }),
    ])
    assert.deepEqual(statusesOf({ body } as Answer), [200, 400, 200, 409])
  })

  test('without an access token is 401', async () => {
    assertEnvelope(await batches.rest.call('POST', '/ext/batch', { body: { items: [] } }), 401)
  })
})

describe('Large or concurrent batches', () => {
  const batches = fixture(batchSetting)

  test('are accepted with bodies of up to 4 MiB', async () => {
    const description = 'x'.repeat(2000)
    const items = Array.from({ length: 1000 }, (_, index) =>
      create('organization', { name: `Large ${index}`, description }),
    )
    const large = await batches.all(items)
    assert.equal(large.status, 200)
    assert.equal(large.body.results.length, 1000)
    const tooLarge = await batches.post({
      items: [create('organization', { name: 'x'.repeat(4 * 1024 ** 2) })],
    })
    assertEnvelope(tooLarge, 413)
    assert.equal(tooLarge.body.message, 'The body must not be larger than 4 MiB.')
  })

  test('are executed once under the same Idempotency-Key', async () => {
    const name = `Keyed ${randomUUID()}`
    const body = { items: [create('organization', { name }), create('organization', { name })] }
    const headers = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all([
      batches.post(body, undefined, headers),
      batches.post(body, undefined, headers),
    ])
    assert.deepEqual(answers[0]?.body, answers[1]?.body)
    assert.equal(await batches.countOf('organizations', name), 2)
  })

  test('succeed concurrently in opposite orders on two instances', async () => {
    const other = await batches.rest.startAnother()
    const ids = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, index) => (await batches.workspace.make('impediment', { name: `R ${index}` })).id,
      ),
    )
    const projects = await Promise.all([batches.workspace.project('X'), batches.workspace.project('Y')])
    const [forth, back] = [ids, ids.toReversed()].map((order, index) => [
      ...order.map((id) => update('impediment', { id, name: `Order ${index}` })),
      create('assignment', batches.assignment({ projectId: projects[index] })),
      update('project', {
        id: projects[1 - index],
        name: 'Z',
        organizationId: batches.workspace.organizationId,
      }),
    ])
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send(index % 2 ? batches.rest.address : other.address, 'POST', '/ext/batch', {
          token: batches.rest.administrator.token,
          body: { items: index % 3 ? forth : back },
        }),
      ),
    )
    assert.deepEqual(
      valuesOf(answers, 'status'),
      answers.map(() => 200),
    )
    const names = await Promise.all(
      ids.map(async (id) => (await batches.get('impediment', id)).body.impediment.name),
    )
    assert.equal(new Set(names).size, 1, names.join())
  })
})
