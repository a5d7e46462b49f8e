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
import { remove, restore } from './remove.ts'
import { update } from './update.ts'

/** Each write alone is allowed, but both together would break a rule. */
describe('Two concurrent writes', () => {
  let fresh: Awaited<ReturnType<typeof freshContext>>
  let observer: pg.Client
  before(async () => {
    fresh = await freshContext()
    observer = await connectDirectly(fresh.context.database)
  })
  after(async () => {
    await observer.end()
    await fresh.drop()
  })

  type Write = (context: Context) => Promise<unknown>

  const writeOf =
    (verb: typeof create, resource: string) =>
    (body: Values): Write =>
    (context) =>
      verb(context, resourceNamed(resource), fresh.administrator, body)
  const makeLabel = writeOf(create, 'label')
  const putLabel = writeOf(create, 'assignmentLabel')
  const makeDependency = writeOf(create, 'assignmentDependency')
  const change = writeOf(update, 'assignment')

  /** Begins the second write before the first is committed, and returns how both end. */
  async function outcomes(first: Write, second: Write): Promise<string[]> {
    const { context } = fresh
    let running: Promise<unknown> = Promise.resolve()
    const transaction = context.database.transaction(async (transaction) => {
      await first({ ...context, database: joinTransaction(context.database, transaction) })
      running = second(context)
      await Promise.race([untilWaiting(observer), running.catch(() => undefined)])
    })
    const settled = await Promise.allSettled([transaction])
    return outcomesOf([...settled, ...(await Promise.allSettled([running]))])
  }

  /** Makes three assignments of a new project. */
  const assignments = async (): Promise<[Row, Row, Row]> => {
    const { id: projectId } = await fresh.makeAny('project')
    const { id: workflowId } = await fresh.makeAny('workflow')
    const make = () => fresh.makeAny('assignment', { projectId, workflowId })
    return Promise.all([make(), make(), make()])
  }
  const labels = (projectId: unknown, count: number): Promise<Row[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        fresh.make('label', { name: `L ${index}`, color: 'red', projectId }),
      ),
    )
  const countLinksAcrossProjects = async () =>
    (
      await fresh.context.database.query(sql`
        select from assignment_labels as link join assignments on assignments.id = link.assignment_id
        join labels on labels.id = link.label_id where link.active and assignments.project_id <> labels.project_id`)
    ).length

  it('cannot exceed the number of labels of a project', async () => {
    const { id: projectId } = await fresh.makeAny('project')
    await labels(projectId, 199)
    const last = (name: string) => makeLabel({ name, color: 'red', projectId })
    assert.deepEqual(await outcomes(last('One'), last('Other')), ['ok', 'invalid'])
  })

  it('cannot exceed the number of labels of an assignment', async () => {
    const [task] = await assignments()
    const available = await labels(task.projectId, 21)
    const put = (index: number) => putLabel({ assignmentId: task.id, labelId: available[index]?.id })
    for (let index = 0; index < 19; index += 1) await put(index)(fresh.context)
    assert.deepEqual(await outcomes(put(19), put(20)), ['ok', 'invalid'])
  })

  it('cannot close a cycle of two assignments', async () => {
    const [a, b] = await assignments()
    const first = makeDependency({ assignmentId: a.id, blockedById: b.id })
    assert.deepEqual(await outcomes(first, makeDependency({ assignmentId: b.id, blockedById: a.id })), [
      'ok',
      'invalid',
    ])
  })

  it('cannot close a cycle of three assignments', async () => {
    const [a, b, c] = await assignments()
    await makeDependency({ assignmentId: a.id, blockedById: b.id })(fresh.context)
    const second = makeDependency({ assignmentId: b.id, blockedById: c.id })
    assert.deepEqual(await outcomes(second, makeDependency({ assignmentId: c.id, blockedById: a.id })), [
      'ok',
      'invalid',
    ])
  })

  it('cannot close a cycle by restoring a dependency and creating another', async () => {
    const [a, b] = await assignments()
    const removed = await fresh.make('assignmentDependency', { assignmentId: a.id, blockedById: b.id })
    const dependency = resourceNamed('assignmentDependency')
    await remove(fresh.context, dependency, fresh.administrator, { ids: [removed.id] })
    const restoreDependency: Write = (context) =>
      restore(context, dependency, fresh.administrator, { ids: [removed.id] })
    assert.deepEqual(
      await outcomes(restoreDependency, makeDependency({ assignmentId: b.id, blockedById: a.id })),
      ['ok', 'invalid'],
    )
  })

  it('cannot put a label on an assignment that is moving to another project', async () => {
    const [task] = await assignments()
    const { id: projectId } = await fresh.makeAny('project')
    const [label] = await labels(task.projectId, 1)
    const put = putLabel({ assignmentId: task.id, labelId: label?.id })
    assert.deepEqual(await outcomes(change({ ...task, projectId }), put), ['ok', 'invalid'])
    assert.equal(await countLinksAcrossProjects(), 0)
  })

  it('can move an assignment on which a label is being put: it loses the label', async () => {
    const [task] = await assignments()
    const { id: projectId } = await fresh.makeAny('project')
    const [label] = await labels(task.projectId, 1)
    const put = putLabel({ assignmentId: task.id, labelId: label?.id })
    assert.deepEqual(await outcomes(put, change({ ...task, projectId })), ['ok', 'ok'])
    assert.equal(await countLinksAcrossProjects(), 0)
  })

  it('cannot create a dependency on an assignment that is moving to another project', async () => {
    const [a, b] = await assignments()
    const { id: projectId } = await fresh.makeAny('project')
    const moved = change({ ...b, projectId })
    const dependency = makeDependency({ assignmentId: a.id, blockedById: b.id })
    assert.deepEqual(await outcomes(moved, dependency), ['ok', 'invalid'])
  })

  it('can create a dependency on an assignment that is moving to the same project', async () => {
    const [a, b] = await assignments()
    const { id: projectId } = await fresh.makeAny('project')
    await change({ ...b, projectId })(fresh.context)
    const dependency = makeDependency({ assignmentId: a.id, blockedById: b.id })
    assert.deepEqual(await outcomes(change({ ...b, projectId: a.projectId }), dependency), ['ok', 'ok'])
  })
})
