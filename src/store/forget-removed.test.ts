import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { addressOf } from '../../test/support/fresh-database.ts'
import { freshTracker } from '../../test/support/tracker.ts'
import { remove } from '../operations/remove.ts'
import { resourceNamed, resources } from '../resources/all.ts'
import { changesSince } from './change-log.ts'
import { forgetRemoved } from './forget-removed.ts'
import { raw, sql } from './sql.ts'

describe('rows that were removed long ago', () => {
  let scene: Awaited<ReturnType<typeof freshTracker>>
  before(async () => {
    scene = await freshTracker()
  })
  after(() => scene.drop())

  const make = async (resource: string, values = {}) => (await scene.makeAny(resource, values)).id as string
  const removeRow = (resource: string, id: string) =>
    remove(scene.tracker, resourceNamed(resource), scene.administrator, { ids: [id] })
  const age = (table: string, id: string, days: number) =>
    scene.tracker.database.query(
      raw(`update ${table} set deleted_at = now() - interval '${days} days' where id = '${id}'`),
    )
  const isThere = async (table: string, id: string) =>
    (await scene.tracker.database.query(raw(`select from ${table} where id = '${id}'`))).length === 1
  const forget = (days = 90) => forgetRemoved(scene.tracker.database, resources, days)

  it('stay for ever unless they shall go', async () => {
    const id = await make('impediment')
    await removeRow('impediment', id)
    await age('impediments', id, 4000)
    await forget(0)
    assert.ok(await isThere('impediments', id))
    await forget()
    assert.equal(await isThere('impediments', id), false)
    const { rows, removedBefore } = (
      await scene.tracker.database.query<{ rows: number; removedBefore: boolean }>(
        sql`select rows, removed_before < now() - interval '89 days' as "removedBefore" from purges where resource = 'impediment'`,
      )
    )[0] ?? { rows: 0, removedBefore: false }
    assert.deepEqual([Number(rows), removedBefore], [1, true])
  })

  it('go with those that refer to them, and stay while something that stays refers to them', async () => {
    const project = await make('project')
    const assignment = await make('assignment', { projectId: project })
    for (const [resource, id] of [
      ['assignment', assignment],
      ['project', project],
    ] as const)
      await removeRow(resource, id)
    await age('projects', project, 100)
    // They went along at the same moment.
    await scene.tracker.database.query(
      sql`update user_projects set deleted_at = now() - interval '100 days' where project_id = ${project}`,
    )
    await age('assignments', assignment, 10)
    await forget()
    assert.ok(await isThere('projects', project))
    await age('assignments', assignment, 100)
    await forget()
    assert.equal(await isThere('assignments', assignment), false)
    assert.equal(await isThere('projects', project), false)
  })

  it('are news to those who list them, and live rows and young ones stay', async () => {
    const [live, young, old] = [await make('workflow'), await make('workflow'), await make('workflow')]
    for (const id of [young, old]) await removeRow('workflow', id)
    await age('workflows', young, 89)
    await age('workflows', old, 91)
    const { snapshot } = await changesSince(scene.tracker.database, undefined)
    await forget()
    assert.deepEqual((await changesSince(scene.tracker.database, snapshot)).resources, ['workflow'])
    assert.deepEqual(await Promise.all([live, young, old].map((id) => isThere('workflows', id))), [
      true,
      true,
      false,
    ])
  })

  it('stay when somebody is restoring them at that moment', async () => {
    const id = await make('organization')
    await removeRow('organization', id)
    await age('organizations', id, 100)
    const other = new pg.Client({ connectionString: addressOf(scene.tracker.database) })
    await other.connect()
    await other.query('begin')
    await other.query('update organizations set active = true, deleted_at = null where id = $1', [id])
    await forget()
    await other.query('commit')
    await other.end()
    assert.ok(await isThere('organizations', id))
  })

  it('cannot be made to go early, nor any other table', async () => {
    const { database } = scene.tracker
    await assert.rejects(forget(29), /kept for 30 days at least/)
    for (const table of ['signin_sessions', 'history', 'pg_class', 'none'])
      await assert.rejects(
        database.query(sql`select forget_removed('user', ${table}, 90)`),
        /no rows that are removed/,
      )
  })
})
