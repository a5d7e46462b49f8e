import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tableMigration } from '../../scripts/migration-text.ts'
import { raw, splitStatements } from '../../src/db/sql.ts'
import { membersOfProject } from '../../src/model/access-rule.ts'
import { optional, references, required } from '../../src/model/field.ts'
import { choice, hours, text, timestamp, uuid } from '../../src/model/field-kinds.ts'
import { duplicate } from '../../src/model/problem.ts'
import { resources } from '../../src/resources/all.ts'
import { defineResource } from '../../src/resources/define-resource.ts'
import { fixture } from '../support/fixture.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { schemaProblems } from './schema-problems.ts'
import { readStoredTable } from './stored-table.ts'

describe('The migrations and the declarations agree', () => {
  const fresh = fixture(freshDatabase)

  for (const resource of resources)
    test(`on every column, type, length, null, reference and index of ${resource.table}`, async () => {
      assert.deepEqual(schemaProblems(resource, await readStoredTable(fresh.database, resource.table)), [])
    })
})

describe('A declaration that the store does not follow is reported', () => {
  const widget = defineResource({
    name: 'widget',
    edition: 'ext',
    table: 'widgets',
    fields: {
      name: required(2, text({ max: 200 })),
      description: optional(3, text({ max: 2000 })),
      projectId: references(4, uuid, 'project', 'cascade'),
      userId: references(5, uuid, 'user', 'keep'),
      dueDate: required(6, timestamp),
      amountHours: required(7, hours({ zeroAllowed: true })),
      size: required(8, choice(['small', 'large'])),
    },
    access: membersOfProject,
    filters: ['projectId', { instant: 'dueDate' }],
    unique: { index: 'widgets_name_active', problem: () => duplicate('name', 'Name is in use.') },
  })
  const statements = [
    ...splitStatements(tableMigration(widget)),
    'create unique index widgets_name_active on widgets (lower(name)) where active',
  ]
  const missing = (column: string) =>
    `widgets.${column}: the store has no such column. Is its migration missing?`

  /** Changes to the store, each with the sentence that reports it. */
  const mistakes: readonly (readonly [string, string])[] = [
    ['drop table widgets', 'widget: the store has no table widgets. Is its migration missing?'],
    ['alter table widgets rename removed_with to along', missing('removed_with')],
    ['alter table widgets add colour text', 'widgets.colour: widget declares no such column.'],
    [
      'alter table widgets alter due_date type date',
      'widgets.due_date is date and should be timestamp with time zone.',
    ],
    [
      'alter table widgets alter amount_hours type numeric(9, 3)',
      'widgets.amount_hours is numeric(9,3) and should be numeric(8,2).',
    ],
    [
      'alter table widgets alter created_at set default now()',
      "widgets.created_at has the default now() and should have date_trunc('milliseconds'::text, now()).",
    ],
    [
      'alter table widgets alter name drop not null',
      'widgets.name may be null, and its declaration says otherwise.',
    ],
    [
      'alter table widgets alter description set not null',
      'widgets.description may not be null, and its declaration says otherwise.',
    ],
    [
      'alter table widgets drop constraint widgets_name_check',
      'widgets.name has no check (char_length(name) <= 200).',
    ],
    [
      'alter table widgets drop constraint widgets_user_id_fkey',
      'widgets.user_id references nothing and should reference users.',
    ],
    [
      'alter table widgets drop constraint widgets_size_check',
      "widgets.size has no check (size = ANY (ARRAY['small'::text, 'large'::text])).",
    ],
    [
      'drop index widgets_name_active',
      'widgets has no unique index widgets_name_active over active rows or all rows.',
    ],
    ['drop index widgets_project', 'widgets.project_id has no btree index for its filter.'],
    ['drop index widgets_due_date', 'widgets.due_date has no btree index for the filter by dates.'],
    ['drop index widgets_removed', 'widgets.deleted_at has no btree index for the list of removed rows.'],
    [
      'drop index widgets_removed_with',
      'widgets.removed_with has no btree index for rows restored with a parent.',
    ],
    ['drop index widgets_name_search', 'widgets.name has no gin index for the search.'],
  ]

  const fresh = fixture(freshDatabase)

  /** Rolls all changes back afterwards. */
  const problemsAfter = async (...changes: readonly string[]): Promise<string[]> => {
    const undo = new Error('The changes are rolled back.')
    let problems: string[] = []
    await fresh.database
      .transaction(async (transaction) => {
        for (const statement of [...statements, ...changes]) await transaction.query(raw(statement))
        problems = schemaProblems(widget, await readStoredTable(transaction, 'widgets'))
        throw undo
      })
      .catch((error) => assert.equal(error, undo))
    return problems
  }

  test('a table that follows it is accepted', async () => {
    assert.deepEqual(await problemsAfter(), [])
  })

  for (const [change, sentence] of mistakes)
    test(sentence, async () => {
      const problems = await problemsAfter(change)
      assert.ok(problems.includes(sentence), problems.join('\n'))
    })
})
