import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { connectDirectly, untilWaiting } from '../../test/support/direct-connection.ts'
import { freshContext, outcomesOf } from '../../test/support/fresh-context.ts'
import { joinTransaction } from '../db/database.ts'
import type { Row, Values } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { resourceNamed } from '../resources/all.ts'
import type { Context } from './context.ts'
import { create } from './create.ts'
import { remove } from './remove.ts'
import { restore } from './restore.ts'
import { update } from './update.ts'

/** Each of these pairs keeps the rules alone, and breaks one if neither waits for the other. */
describe('Of two writes at once that break a rule of their project together', () => {
  let setting: Awaited<ReturnType<typeof freshContext>>
  let looker: pg.Client
  before(async () => {
    setting = await freshContext()
    looker = await connectDirectly(setting.context.database)
  })
  after(async () => {
    await looker.end()
    await setting.drop()
  })

  type Write = (context: Context) => Promise<unknown>

  const writeOf =
    (verb: typeof create, resource: string) =>
    (body: Values): Write =>
    (context) =>
      verb(context, resourceNamed(resource), setting.administrator, body)
  const makeLabel = writeOf(create, 'label')
  const link = writeOf(create, 'assignmentLabel')
  const wait = writeOf(create, 'assignmentDependency')
  const change = writeOf(update, 'assignment')

  /** Begins the second write before the first one is committed, and returns how both end. */
  async function outcomes(first: Write, second: Write): Promise<string[]> {
    const { context } = setting
    let running: Promise<unknown> = Promise.resolve()
    const one = context.database.transaction(async (transaction) => {
      await first({ ...context, database: joinTransaction(context.database, transaction) })
      running = second(context)
      await Promise.race([untilWaiting(looker), running.catch(() => undefined)])
    })
    const settled = await Promise.allSettled([one])
    return outcomesOf([...settled, ...(await Promise.allSettled([running]))])
  }

  const assignments = async (count: number): Promise<[Row, Row, Row]> => {
    const { id: projectId } = await setting.makeAny('project')
    const { id: workflowId } = await setting.makeAny('workflow')
    const made = Array.from({ length: count }, () => setting.makeAny('assignment', { projectId, workflowId }))
    return (await Promise.all(made)) as [Row, Row, Row]
  }
  const labels = (projectId: unknown, count: number): Promise<Row[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        setting.make('label', { name: `L ${index}`, color: 'red', projectId }),
      ),
    )
  const spanning = async () =>
    (
      await setting.context.database.query(sql`
        select from assignment_labels as link join assignments on assignments.id = link.assignment_id
        join labels on labels.id = link.label_id where link.active and assignments.project_id <> labels.project_id`)
    ).length

  it('one makes the last label of the project', async () => {
    const { id: projectId } = await setting.makeAny('project')
    await labels(projectId, 199)
    const last = (name: string) => makeLabel({ name, color: 'red', projectId })
    assert.deepEqual(await outcomes(last('One'), last('Other')), ['ok', 'invalid'])
  })

  it('one puts the last label on the assignment', async () => {
    const [task] = await assignments(1)
    const known = await labels(task.projectId, 21)
    const put = (index: number) => link({ assignmentId: task.id, labelId: known[index]?.id })
    for (let index = 0; index < 19; index += 1) await put(index)(setting.context)
    assert.deepEqual(await outcomes(put(19), put(20)), ['ok', 'invalid'])
  })

  it('one closes the circle of two', async () => {
    const [a, b] = await assignments(2)
    const first = wait({ assignmentId: a.id, blockedById: b.id })
    assert.deepEqual(await outcomes(first, wait({ assignmentId: b.id, blockedById: a.id })), [
      'ok',
      'invalid',
    ])
  })

  it('one closes the circle of three', async () => {
    const [a, b, c] = await assignments(3)
    await wait({ assignmentId: a.id, blockedById: b.id })(setting.context)
    const second = wait({ assignmentId: b.id, blockedById: c.id })
    assert.deepEqual(await outcomes(second, wait({ assignmentId: c.id, blockedById: a.id })), [
      'ok',
      'invalid',
    ])
  })

  it('a restored dependency and a new one do not close a circle', async () => {
    const [a, b] = await assignments(2)
    const removed = await setting.make('assignmentDependency', { assignmentId: a.id, blockedById: b.id })
    const dependency = resourceNamed('assignmentDependency')
    await remove(setting.context, dependency, setting.administrator, { ids: [removed.id] })
    const back: Write = (context) =>
      restore(context, dependency, setting.administrator, { ids: [removed.id] })
    assert.deepEqual(await outcomes(back, wait({ assignmentId: b.id, blockedById: a.id })), ['ok', 'invalid'])
  })

  it('a label is not put on an assignment that is just moving away', async () => {
    const [task] = await assignments(1)
    const { id: projectId } = await setting.makeAny('project')
    const [label] = await labels(task.projectId, 1)
    const put = link({ assignmentId: task.id, labelId: label?.id })
    assert.deepEqual(await outcomes(change({ ...task, projectId }), put), ['ok', 'invalid'])
    assert.equal(await spanning(), 0)
  })

  it('an assignment that moves away leaves the label behind that is just being put on it', async () => {
    const [task] = await assignments(1)
    const { id: projectId } = await setting.makeAny('project')
    const [label] = await labels(task.projectId, 1)
    const put = link({ assignmentId: task.id, labelId: label?.id })
    assert.deepEqual(await outcomes(put, change({ ...task, projectId })), ['ok', 'ok'])
    assert.equal(await spanning(), 0)
  })

  it('a dependency is not made between assignments of which one is just moving away', async () => {
    const [a, b] = await assignments(2)
    const { id: projectId } = await setting.makeAny('project')
    const moved = change({ ...b, projectId })
    const made = wait({ assignmentId: a.id, blockedById: b.id })
    assert.deepEqual(await outcomes(moved, made), ['ok', 'invalid'])
    assert.deepEqual(await outcomes(change({ ...b, projectId: a.projectId }), made), ['ok', 'ok'])
  })
})
