import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertEnvelope } from '../support/assert-envelope.ts'
import type { Row } from './driver.ts'
import { onRest } from './every-host.ts'
import { a, type Entity, entities, pathOf } from './resources.ts'

/** The rest of If-Match is in test/journeys/if-match.test.ts; here it is asked of every resource. */
onRest('If-Match', (tracker) => {
  const token = () => tracker.administrator.token
  const read = (entity: Entity, { id }: Pick<Row, 'id'>) =>
    tracker.call('GET', `${pathOf(entity)}?id=${id}`, { token: token() })
  const tagOf = async (entity: Entity, row: Row) => (await read(entity, row)).headers.get('etag') ?? ''
  const update = (entity: Entity, row: Row, tag: string) =>
    tracker.call('PATCH', pathOf(entity), {
      token: token(),
      body: tracker.change(entity, row),
      headers: { 'if-match': tag },
    })
  const remove = (entity: Entity, rows: readonly Row[], tags: readonly string[]) =>
    tracker.call('DELETE', pathOf(entity), {
      token: token(),
      body: { ids: rows.map(({ id }) => id) },
      headers: { 'if-match': tags.join(', ') },
    })

  for (const entity of entities) {
    test(`changes ${a(entity)} as the tag says it is, and rejects the tag afterwards`, async () => {
      const row = await tracker.make(entity)
      const tag = await tagOf(entity, row)
      assert.match(tag, /^"[\w-]+"$/)
      assert.equal((await update(entity, row, tag)).status, 200)
      const changed = (await read(entity, row)).body
      assertEnvelope(await update(entity, row, tag), 412)
      assert.deepEqual((await read(entity, row)).body, changed)
      assert.equal((await update(entity, row, await tagOf(entity, row))).status, 200)
    })

    test(`removes rows of ${entity} that are all as their tags say, or none`, async () => {
      const rows = await Promise.all([tracker.make(entity), tracker.make(entity)])
      const [first = '', second = ''] = await Promise.all(rows.map((row) => tagOf(entity, row)))
      await update(entity, rows[1] as Row, second)
      assertEnvelope(await remove(entity, rows, [first, second]), 412)
      for (const row of rows) assert.equal((await read(entity, row)).status, 200)
      assert.equal((await remove(entity, rows, [first, await tagOf(entity, rows[1] as Row)])).status, 200)
      for (const row of rows) assert.equal((await read(entity, row)).status, 404)
    })

    test(`lets one of several changes of ${a(entity)} with the same tag win`, async () => {
      const row = await tracker.make(entity)
      const tag = await tagOf(entity, row)
      const answers = await Promise.all(Array.from({ length: 5 }, () => update(entity, row, tag)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412])
    })
  }

  test('changes the own account as the tag says it is', async () => {
    const { token } = await tracker.signUp()
    const me = () => tracker.call('GET', '/api/me', { token })
    const tag = (await me()).headers.get('etag') ?? ''
    const rename = (name: string, ifMatch: string) =>
      tracker.call('PATCH', '/api/me', { token, body: { name }, headers: { 'if-match': ifMatch } })
    const answers = await Promise.all(['A', 'B', 'C'].map((name) => rename(name, tag)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412])
    assertEnvelope(await rename('D', tag), 412)
    assert.equal((await rename('E', '*')).status, 200)
    assert.equal((await me()).body.name, 'E')
  })
})
