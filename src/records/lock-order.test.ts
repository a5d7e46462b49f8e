import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { connectDirectly, untilWaiting } from '../../test/support/direct-connection.ts'
import { freshContext } from '../../test/support/fresh-context.ts'
import { resourceNamed } from '../resources/all.ts'
import { parseBatch } from './batch/parse-batch.ts'
import { runBatch } from './batch/run-batch.ts'
import { create } from './create.ts'
import { remove } from './remove.ts'

/**
 * Deadlocks are retried, so they would not show in any answer. Instead, these tests check which locks are
 * held during a wait.
 */
describe('A transaction that waits for a row', () => {
  let fresh: Awaited<ReturnType<typeof freshContext>>
  let holder: pg.Client
  let observer: pg.Client
  before(async () => {
    fresh = await freshContext()
    holder = await connectDirectly(fresh.context.database)
    observer = await connectDirectly(fresh.context.database)
  })
  after(async () => {
    await Promise.all([holder.end(), observer.end()])
    await fresh.drop()
  })

  const lockFor = (client: pg.Client, table: string, id: string, how = '') =>
    client.query(`select from ${table} where id = $1 for update ${how}`, [id])

  /** Asserts that the second row is not locked while the started operation waits for the first. */
  async function assertFree(
    first: readonly [table: string, id: string],
    second: readonly [table: string, id: string],
    start: () => Promise<unknown>,
  ) {
    await holder.query('begin')
    await lockFor(holder, ...first)
    const waiting = start()
    await untilWaiting(observer)
    await observer.query('begin')
    const attempt = await lockFor(observer, ...second, 'nowait').then(
      () => 'free',
      ({ code }) => code,
    )
    await observer.query('rollback')
    await holder.query('rollback')
    await waiting
    assert.equal(
      attempt,
      'free',
      'It holds a row that comes later in the order, so two transactions could deadlock.',
    )
  }

  it('holds no row with a higher id in a removal', async () => {
    const [low, high] = ['00000000-0000-7000-8000-00000000000a', 'ffffffff-ffff-7fff-8fff-fffffffffff0']
    // The higher id is created first, so that it comes first in the table.
    await fresh.make('organization', { id: high, name: 'High' })
    await fresh.make('organization', { id: low, name: 'Low' })
    // The planner then knows that the table has one page, and reads it in physical order. An index would
    // return the rows in order.
    await holder.query('vacuum analyze organizations')
    await assertFree(['organizations', low], ['organizations', high], () =>
      remove(fresh.context, resourceNamed('organization'), fresh.administrator, { ids: [high, low] }),
    )
  })

  it('holds no referenced row of a resource that is declared later', async () => {
    const [workflow, project, user, assignmentType] = await Promise.all([
      fresh.makeAny('workflow'),
      fresh.makeAny('project'),
      fresh.makeAny('user'),
      fresh.makeAny('assignmentType'),
    ])
    await assertFree(['workflows', workflow.id], ['projects', project.id], () =>
      create(fresh.context, resourceNamed('assignment'), fresh.administrator, {
        name: 'Dig',
        startDate: '2026-01-01',
        endDate: '2026-01-02',
        amountHours: 1,
        projectId: project.id,
        workflowId: workflow.id,
        userId: user.id,
        assignmentTypeId: assignmentType.id,
      }),
    )
  })

  const run = (...items: readonly object[]) =>
    runBatch(fresh.context, fresh.administrator, parseBatch({ items }), async () => new Map())

  it('holds no row with a higher id in a batch', async () => {
    const rows = await Promise.all([fresh.makeAny('impediment'), fresh.makeAny('impediment')])
    const [low = '', high = ''] = rows.map(({ id }) => id).sort()
    await assertFree(['impediments', low], ['impediments', high], () =>
      run(
        { operation: 'update', resource: 'impediment', body: { id: high, name: 'Changed' } },
        { operation: 'remove', resource: 'impediment', body: { ids: [low] } },
      ),
    )
  })

  it('holds no row of a resource that is declared later in a batch', async () => {
    const [organization, project] = [await fresh.makeAny('organization'), await fresh.makeAny('project')]
    await assertFree(['organizations', organization.id], ['projects', project.id], () =>
      run(
        { operation: 'update', resource: 'project', body: { ...project, name: 'Changed' } },
        { operation: 'remove', resource: 'organization', body: { ids: [organization.id] } },
      ),
    )
  })
})
