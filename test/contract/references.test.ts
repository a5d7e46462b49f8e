import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { tableOf } from '../../src/db/columns.ts'
import { sql } from '../../src/db/sql.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import { onEveryHost } from './every-host.ts'
import { done, invalid, invalidWith, recordIn, rejected } from './outcomes.ts'
import { a, creatable, entities, pascalCase, references } from './resources.ts'

onEveryHost('References', (tracker) => {
  for (const { entity, column, parent } of references.filter((reference) =>
    creatable.includes(reference.entity),
  )) {
    test(`${a(entity)} whose ${column} is the id of no row is rejected under ${column}`, async () => {
      const body = await tracker.valid(entity, { [column]: randomUUID() })
      await invalid(tracker.create(entity, body, tracker.administrator), column)
    })

    test(`${a(entity)} is rejected under ${column} if the ${parent} was removed`, async () => {
      const { id } = await tracker.makeRemoved(parent)
      const body = await tracker.valid(entity, { [column]: id })
      await invalid(tracker.create(entity, body, tracker.administrator), column)
    })

    test(`${a(entity)} cannot be updated to ${a(parent)} that is missing or removed`, async () => {
      const [row, removed] = await Promise.all([tracker.make(entity), tracker.makeRemoved(parent)])
      for (const id of [randomUUID(), removed.id]) {
        const body = tracker.change(entity, row, { [column]: id })
        await invalid(tracker.update(entity, body, tracker.administrator), column)
      }
      assert.deepEqual(await recordIn(tracker.get(entity, row.id, tracker.administrator)), row)
    })

    test(`${a(entity)} can be moved to another ${parent}`, async () => {
      const row = await tracker.make(entity)
      const other = await tracker.make(parent, tracker.relatedValues(entity, row))
      const body = tracker.change(entity, row, { [column]: other.id.toUpperCase() })
      await done(tracker.update(entity, body, tracker.administrator))
      const stored = await recordIn(tracker.get(entity, row.id, tracker.administrator))
      assert.equal(stored[column], other.id)
    })

    test(`${a(entity)} whose ${column} is not a UUID is rejected with the message of the contract`, async () => {
      const body = await tracker.valid(entity, { [column]: 'none' })
      await invalidWith(tracker.create(entity, body, tracker.administrator), {
        [column]: [`${pascalCase(column)} must be a UUID.`],
      })
    })

    test(`${a(entity)} may be updated with an unchanged ${column} of a removed ${parent}`, async () => {
      const gone = await tracker.make(parent)
      const row = await tracker.make(entity, { [column]: gone.id })
      await deactivate(gone.id)
      const changed = tracker.change(entity, row, { [column]: gone.id.toUpperCase() })
      await done(tracker.update(entity, changed, tracker.administrator))
    })
  }

  /**
   * Deactivates a row, but not the rows that refer to it. Only a race or a manual change of the database
   * could do this.
   */
  const deactivate = async (id: string) => {
    for (const entity of entities)
      await tracker.database.transaction((transaction) =>
        transaction.query(sql`update ${tableOf(resourceNamed(entity))} set active = false where id = ${id}`),
      )
  }

  test('the zero UUID is the id of no row', async () => {
    const zero = '00000000-0000-0000-0000-000000000000'
    const body = await tracker.valid('userProject', { userId: zero, projectId: zero })
    await invalid(tracker.create('userProject', body, tracker.administrator), 'userId', 'projectId')
  })

  test('all references to unknown rows are reported at once', async () => {
    const columns = ['projectId', 'workflowId', 'userId', 'assignmentTypeId']
    const unknownIds = Object.fromEntries(columns.map((column) => [column, randomUUID()]))
    const body = await tracker.valid('assignment', unknownIds)
    await invalid(tracker.create('assignment', body, tracker.administrator), ...columns)
    const row = await tracker.make('assignment')
    const change = tracker.change('assignment', row, unknownIds)
    await invalid(tracker.update('assignment', change, tracker.administrator), ...columns)
  })

  test('an unknown reference is reported before a project without membership', async () => {
    const [project, outsider] = await Promise.all([tracker.make('project'), tracker.signUp()])
    const values = { projectId: project.id, workflowId: randomUUID() }
    const body = await tracker.valid('assignment', values)
    await invalid(tracker.create('assignment', body, outsider), 'workflowId')
    const inUnknownProject = await tracker.valid('assignment', { projectId: randomUUID() })
    await invalid(tracker.create('assignment', inUnknownProject, outsider), 'projectId')
    const inHiddenProject = await tracker.valid('assignment', { projectId: project.id })
    await rejected(tracker.create('assignment', inHiddenProject, outsider), 'forbidden')
  })
})
