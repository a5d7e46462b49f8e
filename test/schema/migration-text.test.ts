import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { columnMigration, tableMigration } from '../../scripts/migration-text.ts'
import { newId } from '../../src/db/rows.ts'
import { raw, splitStatements, sql } from '../../src/db/sql.ts'
import { administratorsOnly, membersOfAssignment } from '../../src/model/access-rule.ts'
import { optional, references, required } from '../../src/model/field.ts'
import { choice, hours, integer, text, timestamp, uuid } from '../../src/model/field-kinds.ts'
import { defineResource } from '../../src/resources/define-resource.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { schemaProblems } from './schema-problems.ts'
import { readStoredTable } from './stored-table.ts'

/** A resource that belongs to an assignment and has a field of every kind. */
const gadget = defineResource({
  name: 'gadget',
  edition: 'ext',
  table: 'gadgets',
  fields: {
    name: required(2, text({ max: 20 })),
    startDate: required(3, timestamp),
    endDate: required(4, timestamp),
    assignmentId: references(5, uuid, 'assignment', 'cascade'),
    userId: references(6, uuid, 'user', 'keep'),
    order: required(7, integer({ min: 1, max: 5 })),
    amountHours: required(8, hours({ zeroAllowed: false })),
    description: optional(9, text({ max: 60 })),
    dueDate: optional(10, timestamp),
    spentHours: optional(15, hours({ zeroAllowed: true })),
    size: required(16, choice(['small', 'large'])),
  },
  access: membersOfAssignment,
  filters: ['userId', { period: ['startDate', 'endDate'] }],
})

const isAddedLater = (name: string) => !['name', 'assignmentId', 'userId'].includes(name)

describe('The migration that is written from a declaration', () => {
  let fresh: FreshDatabase
  beforeEach(async () => {
    fresh = await freshDatabase()
  })
  afterEach(() => fresh.drop())

  const run = async (migration: string) => {
    for (const statement of splitStatements(migration)) await fresh.database.query(raw(statement))
  }
  const problems = async () => schemaProblems(gadget, await readStoredTable(fresh.database, gadget.table))

  test('creates a table that agrees with it', async () => {
    await run(tableMigration(gadget))
    assert.deepEqual(await problems(), [])
  })

  test('adds columns that agree with it, to a table with rows', async () => {
    const { name, assignmentId, userId } = gadget.fields
    const before = { ...gadget, fields: { name, assignmentId, userId }, filters: [] }
    await run(
      tableMigration({ ...before, columns: gadget.columns.filter((column) => !isAddedLater(column)) }),
    )
    await run(
      'alter table gadgets drop constraint gadgets_assignment_id_fkey, drop constraint gadgets_user_id_fkey',
    )
    await fresh.database.query(sql`
      insert into gadgets (id, name, assignment_id, user_id) values (${newId()}, 'Old', ${newId()}, ${newId()})`)
    for (const name of Object.keys(gadget.fields).filter(isAddedLater))
      await run(columnMigration(gadget, name))
    assert.deepEqual(
      (await problems()).filter((problem) => !problem.includes(' references ')),
      [],
    )
  })

  for (const [column, value] of [
    ['order', 0],
    ['order', 6],
    ['amountHours', 0],
    ['amountHours', 100_001],
  ] as const)
    test(`makes the store reject ${value} as the ${column}, like the declaration`, async () => {
      const fields = { [column]: gadget.fields[column] }
      await run(tableMigration({ ...gadget, fields, filters: [], access: administratorsOnly }))
      const insert = sql`insert into gadgets select * from jsonb_populate_record(null::gadgets,
        ${JSON.stringify({ id: newId(), created_at: '2026-01-05', active: true, order: value, amount_hours: value })}::jsonb)`
      await assert.rejects(fresh.database.query(insert), /gadgets_(order|amount_hours)_check/)
    })

  test('adds the constraint of a new column in a separate statement', () => {
    for (const name of Object.keys(gadget.fields).filter(
      (field) => field !== 'assignmentId' && field !== 'userId',
    ))
      for (const statement of splitStatements(columnMigration(gadget, name)))
        assert.doesNotMatch(statement, /add column[\s\S]*\b(check|references)\b/)
    assert.match(
      tableMigration(gadget),
      /assignment_id uuid not null,[\s\S]*select keep_with_assignment\('gadgets'\)/,
    )
  })

  test('is not written for a required reference', () => {
    assert.throws(() => columnMigration(gadget, 'userId'), /make it optional/)
  })

  test('is not written for an undeclared column', () => {
    assert.throws(() => columnMigration(gadget, 'colour'), /gadget has no column colour/)
  })
})
