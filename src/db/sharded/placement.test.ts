import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { resources } from '../../resources/all.ts'
import { splitStatements } from '../sql.ts'
import {
  assignmentFields,
  assignmentTables,
  droppedReferences,
  isReferenceTable,
  placeColumnOf,
  referenceTables,
} from './places.ts'

it('every resource of an assignment is stored with it', () => {
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

it('every field that refers to an assignment is listed', () => {
  const fields = resources.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { references }]) =>
      references?.resource === 'assignment' ? [name] : [],
    ),
  )
  assert.deepEqual([...assignmentFields].sort(), [...new Set(fields)].sort())
})

it('every SQL function that writes with parameters is replaced', () => {
  const folder = new URL('../migrations/', import.meta.url)
  const shardedFunctions = readFileSync(new URL('functions.sql', import.meta.url), 'utf8')
  const sqlFunction = /function (\w+)\([^)]+\)[^$]*?language sql[^$]*\$\$(.*?)\$\$/gs
  const writingFunctions = readdirSync(folder).flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(sqlFunction)]
      .filter(([, , body = '']) => /\b(insert into|update|delete from)\b/i.test(body))
      .map(([, name = '']) => name),
  )
  assert.ok(writingFunctions.includes('moved_assignment_number'))
  for (const name of writingFunctions) assert.match(shardedFunctions, new RegExp(`function ${name}\\(`), name)
})

it('an assignment is purged with everything that foreign keys remove in a store of one node', () => {
  const shardedFunctions = readFileSync(new URL('functions.sql', import.meta.url), 'utf8')
  for (const { table, constraint } of droppedReferences) {
    const column = constraint.slice(table.length + 1, -'_fkey'.length)
    assert.match(shardedFunctions, new RegExp(`\\b${table}\\b.*\\b${column}\\b`), constraint)
  }
})

it('no write contains a volatile timestamp or a random value', () => {
  const sources = new URL('../../', import.meta.url)
  const volatile = /(?<!Math\.)\b(clock_timestamp|timeofday|random|gen_random_uuid|nextval)\(/g
  for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
    const text = readFileSync(new URL(name, sources), 'utf8')
    for (const { index } of text.matchAll(volatile)) {
      // This is the text of the statement before the match.
      const before = text.slice(0, index).split(/[`']/).at(-1) ?? ''
      assert.doesNotMatch(before, /\b(update|insert|delete)\b/i, name)
    }
    // Returned values must not contain a timestamp, either.
    assert.doesNotMatch(text, /\breturning\b[^`')]*\b(now|statement_timestamp)\(/i, name)
    // In these expressions, not even a stable timestamp may occur next to a column.
    assert.doesNotMatch(
      text,
      /\bupdate \w+[^`']*\b(coalesce|case)\b[^`']*\b(now|statement_timestamp)\(/i,
      name,
    )
  }
})

it('every migration adds the constraint of a new column in a separate statement', () => {
  const folder = new URL('../migrations/', import.meta.url)
  const laterMigrations = readdirSync(folder).filter((name) => name > '0068-settled-snapshot.sql')
  const changesSpreadTable = new RegExp(
    `^alter table (${[...referenceTables, ...assignmentTables, 'assignments'].join('|')}) `,
    'i',
  )
  for (const name of laterMigrations)
    for (const statement of splitStatements(readFileSync(new URL(name, folder), 'utf8')))
      if (changesSpreadTable.test(statement))
        assert.doesNotMatch(statement, /add column[\s\S]*\b(check|references|unique|primary key)\b/i, name)
})
