import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { type BatchSetting, batchSetting, create, update } from '../support/batches.ts'
import { send } from '../support/rest-host.ts'

describe('Large batches, and many at once,', () => {
  let rest: BatchSetting['rest']
  let workspace: BatchSetting['workspace']
  let post: BatchSetting['post']
  let all: BatchSetting['all']
  let get: BatchSetting['get']
  let countOf: BatchSetting['countOf']
  let assignment: BatchSetting['assignment']
  before(async () => {
    ;({ rest, workspace, post, all, get, countOf, assignment } = await batchSetting())
  })
  after(() => rest.stop())

  test('takes bodies of up to 4 MiB, and says so of larger ones', async () => {
    const description = 'x'.repeat(2000)
    const items = Array.from({ length: 1000 }, (_, index) =>
      create('organization', { name: `Large ${index}`, description }),
    )
    const large = await all(items)
    assert.equal(large.status, 200)
    assert.equal(large.body.results.length, 1000)
    const tooLarge = await post({ items: [create('organization', { name: 'x'.repeat(4 * 1024 ** 2) })] })
    assertEnvelope(tooLarge, 413)
    assert.equal(tooLarge.body.message, 'The body must not be larger than 4 MiB.')
  })

  test('is done once under an Idempotency-Key', async () => {
    const name = `Keyed ${randomUUID()}`
    const body = { items: [create('organization', { name }), create('organization', { name })] }
    const headers = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all([post(body, undefined, headers), post(body, undefined, headers)])
    assert.deepEqual(answers[0]?.body, answers[1]?.body)
    assert.equal(await countOf('organizations', name), 2)
  })

  test('races with others of the opposite order on two instances, and each is done', async () => {
    const other = await rest.startAnother()
    const ids = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, index) => (await workspace.make('impediment', { name: `R ${index}` })).id,
      ),
    )
    const projects = await Promise.all([workspace.project('X'), workspace.project('Y')])
    const [forth, back] = [ids, ids.toReversed()].map((order, turn) => [
      ...order.map((id) => update('impediment', { id, name: `Turn ${turn}` })),
      create('assignment', assignment({ projectId: projects[turn] })),
      update('project', { id: projects[1 - turn], name: 'Z', organizationId: workspace.organizationId }),
    ])
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        send(index % 2 ? rest.address : other.address, 'POST', '/ext/batch', {
          token: rest.administrator.token,
          body: { items: index % 3 ? forth : back },
        }),
      ),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    )
    const names = await Promise.all(ids.map(async (id) => (await get('impediment', id)).body.impediment.name))
    assert.equal(new Set(names).size, 1, names.join())
  })
})
