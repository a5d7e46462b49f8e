import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { pathOf } from '../contract/resources.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import {
  type BatchSetting,
  batchSetting,
  create,
  type Item,
  remove,
  restore,
  statusesOf,
  update,
} from '../support/batches.ts'
import type { Answer, Person } from '../support/rest-host.ts'

describe('A rejected batch', () => {
  let rest: BatchSetting['rest']
  let workspace: BatchSetting['workspace']
  let post: BatchSetting['post']
  let all: BatchSetting['all']
  let each: BatchSetting['each']
  let countOf: BatchSetting['countOf']
  let assignment: BatchSetting['assignment']
  before(async () => {
    ;({ rest, workspace, post, all, each, countOf, assignment } = await batchSetting())
  })
  after(() => rest.stop())

  test('rejects all for one rejected item, with its status and its keys under its index, and writes nothing', async () => {
    const name = `Never ${randomUUID()}`
    const answer = await all([
      create('organization', { name }),
      create('project', { name, organizationId: randomUUID() }),
      create('project', { name, organizationId: workspace.organizationId }),
    ])
    assertEnvelope(answer, 400)
    assert.deepEqual(answer.body.errors, {
      'items[1].organizationId': ['OrganizationId must refer to an active organization.'],
    })
    assert.equal(await countOf('organizations', name), 0)
    assert.equal(await countOf('projects', name), 0)
    const missing = await all([create('organization', { name }), remove('project', randomUUID())])
    assertEnvelope(missing, 404)
    assert.deepEqual(missing.body.errors, { 'items[1]': ['Project was not found.'] })
    assert.equal(await countOf('organizations', name), 0)
    const invalid = await all([create('organization', {}), update('project', { id: 'x' }), remove('user')])
    assertEnvelope(invalid, 400)
    assert.deepEqual(Object.keys(invalid.body.errors), [
      ...['items[0].name', 'items[1].id', 'items[1].name', 'items[1].organizationId', 'items[2].ids'],
    ])
  })

  test('is answered at once when another transaction locks the rows, if its caller may not see them', async () => {
    const outsider = await rest.signUp()
    const foreign = await workspace.project('Foreign')
    const task = await workspace.assignment(foreign, rest.administrator.id)
    const answer = await rest.database.transaction(async (transaction) => {
      await transaction.query(sql`select from assignments where id = ${task} for update`)
      return all([update('assignment', assignment({ id: task, projectId: foreign }))], outsider)
    })
    assertEnvelope(answer, 404)
  })

  test('rejects exactly as the single operations do', async () => {
    const [ann, bob] = [await rest.signUp(), await rest.signUp()]
    const [hers, foreign] = [await workspace.project('Hers', ann), await workspace.project('Foreign')]
    const task = await workspace.assignment(hers, ann.id)
    const foreignTask = await workspace.assignment(foreign, bob.id)
    await workspace.join(hers, bob.id)
    const bobs = await workspace.appointment(task, bob.id)
    const organization = await workspace.make('organization', { name: 'Busy' })
    await workspace.make('project', { name: 'Blocks', organizationId: organization.id })
    const removedProject = await workspace.make('project', {
      name: 'Gone',
      organizationId: (await workspace.make('organization', { name: 'Gone' })).id,
    })
    await workspace.write('DELETE', '/api/project', { ids: [removedProject.id] })
    await workspace.write('DELETE', '/api/organization', { ids: [removedProject.organizationId] })
    const appointment = { keepDate: '2026-01-05', amountHours: 1, assignmentId: task, userId: ann.id }
    const project = { id: hers, name: 'Hers', organizationId: workspace.organizationId }
    const { administrator } = rest
    const cases: readonly (readonly [string, Person, Item])[] = [
      ['a missing name', ann, create('project', { organizationId: workspace.organizationId })],
      ['every violation at once', ann, create('appointment', { amountHours: 0.001, keepDate: 'x' })],
      ['a reference to nothing', ann, create('project', { name: 'P', organizationId: randomUUID() })],
      [
        'several of them',
        ann,
        create('userAssignment', { userId: randomUUID(), assignmentId: randomUUID() }),
      ],
      ['an id that is taken', ann, create('project', { ...project, id: foreign })],
      ['a catalog for members', ann, create('workflow', { name: 'W', order: 1 })],
      ['accounts for members', ann, create('user', {})],
      ['somebody elses time', ann, create('appointment', { ...appointment, userId: bob.id })],
      ['a foreign project', ann, create('appointment', { ...appointment, assignmentId: foreignTask })],
      [
        'a comment out of sight',
        ann,
        create('comment', { text: 'Hi', assignmentId: foreignTask, userId: ann.id }),
      ],
      [
        'a comment on nothing',
        ann,
        create('comment', { text: 'Hi', assignmentId: randomUUID(), userId: ann.id }),
      ],
      [
        'a login that is taken',
        administrator,
        create('user', { name: 'A', login: ann.login, password: 'Quite-1234-x' }),
      ],
      [
        'a guessable password',
        administrator,
        create('user', { name: 'A', login: 'Ann-1@example.com', password: 'Ann-1@example.com' }),
      ],
      ['a row that is not there', ann, update('project', { ...project, id: randomUUID() })],
      ['a row that cannot be seen', ann, update('project', { ...project, id: foreign })],
      ['a stale version', ann, update('project', { ...project, expectedVersion: '2020-01-01' })],
      ['another tag', ann, update('project', project, '"other"')],
      ['another tag on a removal', ann, { ...remove('project', hers), ifMatch: '"other"' }],
      ['a tag on a new row', ann, { ...create('project', project), ifMatch: '"any"' }],
      ['a change of somebody elses time', ann, update('appointment', { ...appointment, id: bobs })],
      [
        'time given to somebody else',
        bob,
        update('appointment', { ...appointment, id: bobs, userId: ann.id }),
      ],
      [
        'a move to a foreign project',
        ann,
        update('assignment', assignment({ id: task, projectId: foreign })),
      ],
      ['a move to nothing', ann, update('assignment', assignment({ id: task, projectId: randomUUID() }))],
      [
        'a password that is the login',
        administrator,
        update('user', { id: ann.id, name: 'A', password: ann.login }),
      ],
      ['a removal of what is in use', administrator, remove('organization', organization.id)],
      ['a removal of somebody elses time', ann, remove('appointment', bobs)],
      ['a removal without ids', ann, remove('project')],
      ['a restore of what is there', ann, restore('project', hers)],
      ['a restore under what is gone', administrator, restore('project', removedProject.id)],
      ['a restore of one row twice', ann, restore('project', hers, hers)],
    ]
    const methods: Readonly<Record<string, string>> = {
      create: 'POST',
      update: 'PATCH',
      remove: 'DELETE',
      restore: 'POST',
    }
    for (const [what, by, item] of cases) {
      const at = `${pathOf(item.resource as 'project')}${item.operation === 'restore' ? '/restore' : ''}`
      const single = await rest.call(methods[item.operation] ?? '', at, {
        token: by.token,
        body: item.body,
        headers: item.ifMatch === undefined ? {} : { 'if-match': item.ifMatch },
      })
      assert.ok(single.status >= 400, `${what}: ${single.status}`)
      // Together with others of its kind, so that it is one of several in a statement.
      const beside = create('impediment', {})
      const { body } = await each([beside, item, beside], by)
      assert.deepEqual(body.results[1], single.body, what)
      const refused = await all([item], by)
      assert.deepEqual([refused.status, refused.body.message], [single.status, single.body.message], what)
      const keys = Object.keys(single.body.errors ?? { '': [] }).map((key) => `items[0]${key && `.${key}`}`)
      assert.deepEqual(Object.keys(refused.body.errors), keys, what)
    }
  })

  const refusals: readonly (readonly [string, unknown, string])[] = [
    ['without items', {}, 'items'],
    ['of no items', { items: [] }, 'items'],
    ['of more than 1000 items', { items: Array(1001).fill({}) }, 'items'],
    ['of another mode', { mode: 'some', items: [remove('project', randomUUID())] }, 'mode'],
    ['with an item that is none', { items: [null] }, 'items[0]'],
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
    [
      'with a body that is none',
      { items: [{ operation: 'remove', resource: 'project', body: [] }] },
      'items[0].body',
    ],
    [
      'with a label twice',
      { items: [create('project', {}, 'a'), create('project', {}, 'a')] },
      'items[1].label',
    ],
    ['with a label that is none', { items: [create('project', {}, 'a b')] }, 'items[0].label'],
    ['with a label on a removal', { items: [{ ...remove('project'), label: 'a' }] }, 'items[0].label'],
    [
      'with a label that no item has',
      { items: [create('project', { organizationId: '@none' })] },
      'items[0].organizationId',
    ],
    ['with a tag that is no text', { items: [{ ...remove('project'), ifMatch: 1 }] }, 'items[0].ifMatch'],
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
  for (const [what, body, key] of refusals)
    test(`${what} is rejected with 400 under ${key}`, async () => {
      for (const mode of ['allOrNothing', 'eachForItself']) {
        const answer = await post({ mode, ...(body as object) })
        assertEnvelope(answer, 400)
        assert.ok(Object.keys(answer.body.errors).includes(key), JSON.stringify(answer.body))
      }
    })

  test('rejects a second item that writes the same row', async () => {
    const { id } = await workspace.make('impediment', { name: 'Twice' })
    const { body } = await each([
      update('impediment', { id, name: 'A' }),
      update('impediment', { id, name: 'B' }),
      create('impediment', { id: id.replace(/^./, 'f'), name: 'C' }),
      create('impediment', { id: id.replace(/^./, 'f'), name: 'D' }),
    ])
    assert.deepEqual(statusesOf({ body } as Answer), [200, 400, 200, 409])
  })

  test('without an access token is 401', async () => {
    assertEnvelope(await rest.call('POST', '/ext/batch', { body: { items: [] } }), 401)
  })
})
