import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { resources } from '../../resources/all.ts'
import { splitStatements } from '../sql.ts'
import { assignmentTables, isReferenceTable, placeColumnOf, referenceTables } from './places.ts'

it('knows that every resource of an assignment is stored with it', () => {
  for (const { table, access } of resources) {
    const belongs = access.kind === 'projectMembers' && access.projectPath.length === 2
    assert.equal(
      placeColumnOf(table) !== undefined,
      belongs,
      `${table}: assignmentTables of src/db/sharded/places.ts names the tables whose rows belong to an assignment, and no others.`,
    )
    assert.ok(!(belongs && isReferenceTable(table)), table)
  }
})

it('is never asked for a timestamp or a random value by a write: nodes would return different values, and reject it', () => {
  const sources = new URL('../../', import.meta.url)
  const volatile = /(?<!Math\.)\b(clock_timestamp|timeofday|random|gen_random_uuid|nextval)\(/g
  for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
    const text = readFileSync(new URL(name, sources), 'utf8')
    for (const { index } of text.matchAll(volatile)) {
      // The text of the statement so far.
      const before = text.slice(0, index).split(/[`']/).at(-1) ?? ''
      assert.doesNotMatch(before, /\b(update|insert|delete)\b/i, name)
    }
    // In these, not even a stable timestamp may occur next to a column.
    assert.doesNotMatch(
      text,
      /\bupdate \w+[^`']*\b(coalesce|case)\b[^`']*\b(now|statement_timestamp)\(/i,
      name,
    )
  }
})

it('accepts every migration: a constraint of a new column has a name, and its own statement', () => {
  const folder = new URL('../migrations/', import.meta.url)
  const later = readdirSync(folder).filter((name) => name > '0068-settled-snapshot.sql')
  const spread = new RegExp(
    `^alter table (${[...referenceTables, ...assignmentTables, 'assignments'].join('|')}) `,
    'i',
  )
  for (const name of later)
    for (const statement of splitStatements(readFileSync(new URL(name, folder), 'utf8')))
      if (spread.test(statement))
        assert.doesNotMatch(statement, /add column[\s\S]*\b(check|references|unique|primary key)\b/i, name)
})
