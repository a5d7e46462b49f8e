import assert from 'node:assert/strict'
import { test } from 'node:test'
import { column, tableOf } from '../../src/db/columns.ts'
import { join, sql } from '../../src/db/sql.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import { valuesOf } from '../support/assertions.ts'
import type { Row } from './driver.ts'
import { onEveryHost, onRest } from './every-host.ts'
import { done, recordIn } from './outcomes.ts'
import { belongings, type Entity, entities, links } from './resources.ts'

// biome-ignore lint/suspicious/noExplicitAny: an entry has the values of any resource
type HistoryEntry = any

/** Replays the whole history of a row, and returns the resulting values by column. */
function replay(entries: readonly HistoryEntry[]): Record<string, unknown> {
  const state: Record<string, unknown> = {}
  for (const { action, fields } of entries)
    for (const [name, value] of Object.entries<HistoryEntry>(fields)) {
      if (action !== 'create') assert.deepEqual(value[0], state[name] ?? null, name)
      state[name] = action === 'create' ? value : value[1]
    }
  return state
}

onEveryHost('The history of a row', (tracker) => {
  const historyOf = (id: string): Promise<HistoryEntry[]> =>
    tracker.database.query(sql`select * from history where row_id = ${id} order by sequence`)

  /** Returns the stored row in the form in which the history stores it. */
  async function storedRow(entity: Entity, id: string) {
    const { columns, table } = resourceNamed(entity)
    const recorded = columns.filter((name) => name !== 'id').map((name) => sql`row.${column(name)}`)
    const [row] = await tracker.database.query<{ row: Record<string, unknown> }>(sql`
      with kept as materialized (select ${join(recorded, ', ')} from ${tableOf({ table })} as row where id = ${id})
      select jsonb_strip_nulls(to_jsonb(kept)) as row from kept`)
    return row?.row
  }

  async function assertComplete(entity: Entity, id: string, actions: readonly string[]) {
    const entries = await historyOf(id)
    assert.deepEqual(valuesOf(entries, 'action'), actions)
    const state = Object.fromEntries(Object.entries(replay(entries)).filter(([, value]) => value !== null))
    assert.deepEqual(state, await storedRow(entity, id))
    for (const entry of entries) {
      assert.equal(entry.resource, entity)
      assert.ok(entry.caller && entry.host && entry.request, 'an entry names caller, host and request')
      assert.doesNotMatch(JSON.stringify(entry), /argon2|password_hash|security_stamp/)
    }
  }

  for (const entity of entities)
    test(`of ${entity} can be replayed to the stored row, through change and removal`, async () => {
      const row = await tracker.make(entity)
      await done(tracker.update(entity, tracker.change(entity, row), tracker.administrator))
      await done(tracker.remove(entity, [row.id], tracker.administrator))
      await assertComplete(entity, row.id, ['create', 'update', 'remove'])
    })

  for (const { parent, link, column: name } of [...links, ...belongings])
    test(`of a ${link} contains its removal together with its ${parent}`, async () => {
      const above = await tracker.make(parent)
      const row = await tracker.make(link, { [name]: above.id })
      await done(tracker.remove(parent, [above.id], tracker.administrator))
      await assertComplete(link, row.id, ['create', 'remove'])
    })

  test("of a project contains its creator's membership", async () => {
    const person = await tracker.signUp()
    const body = await tracker.valid('project')
    const { id } = await recordIn(tracker.create('project', body, person))
    const entries: HistoryEntry[] = await tracker.database.query(
      sql`select resource, caller from history where project_id = ${id} order by resource`,
    )
    assert.deepEqual(
      entries.map(({ resource, caller }) => [resource, caller]),
      [
        ['project', person.id],
        ['userProject', person.id],
      ],
    )
  })

  test('of an account never contains a password', async () => {
    const user = await tracker.make('user', { password: 'Secret word 1!' })
    const changed = { ...tracker.change('user', user), password: 'Another secret 2!' }
    await done(tracker.update('user', changed, tracker.administrator))
    const text = JSON.stringify(await historyOf(user.id))
    assert.doesNotMatch(text, /Secret word|Another secret|argon2|hash|stamp/)
  })

  test('contains concurrent updates in the order in which they were applied', async () => {
    const row = await tracker.make('impediment')
    await Promise.all(
      Array.from({ length: 12 }, (_, count) =>
        done(
          tracker.update(
            'impediment',
            tracker.change('impediment', row, { name: `Race ${count}` }),
            tracker.administrator,
          ),
        ),
      ),
    )
    await assertComplete('impediment', row.id, ['create', ...Array(12).fill('update')])
  })

  test('has no entry for a change that was rejected', async () => {
    const used = await tracker.make('organization')
    await tracker.make('project', { organizationId: used.id })
    await tracker.remove('organization', [used.id], tracker.administrator)
    await tracker.update('organization', { id: used.id, name: '' }, tracker.administrator)
    assert.equal((await historyOf(used.id)).length, 1)
  })
})

onRest('The history of a row', (tracker) => {
  for (const entity of entities)
    test(`of ${entity} contains its restoration`, async () => {
      const row: Row = await tracker.make(entity)
      await done(tracker.remove(entity, [row.id], tracker.administrator))
      await done(tracker.restore(entity, [row.id], tracker.administrator))
      const entries: HistoryEntry[] = await tracker.database.query(
        sql`select action, fields from history where row_id = ${row.id} order by sequence`,
      )
      assert.deepEqual(valuesOf(entries, 'action'), ['create', 'remove', 'restore'])
      const state = replay(entries)
      assert.deepEqual([state.active, state.deleted_at], [true, null])
    })

  test('contains the changes that people make to their own account', async () => {
    const person = await tracker.signUp()
    const { id } = person
    const renamed = await tracker.call('PATCH', '/api/me', { token: person.token, body: { name: 'Anna' } })
    assert.equal(renamed.status, 200)
    const entries: HistoryEntry[] = await tracker.database.query(
      sql`select fields, caller from history where row_id = ${id}`,
    )
    assert.deepEqual([entries.length, entries[0].fields.name[1], entries[0].caller], [1, 'Anna', id])
  })
})
