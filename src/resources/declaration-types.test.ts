import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalog, membersOfAssignment, membersOfProject } from '../model/access-rule.ts'
import { references, required } from '../model/field.ts'
import { text, timestamp, uuid } from '../model/field-kinds.ts'
import { withKnownReferences } from './all.ts'
import { organization } from './catalogs.ts'
import { defineResource } from './define-resource.ts'

const name = required(2, text({ max: 200 }))
const projectId = references(3, uuid, 'project', 'keep')
const base = { name: 'widget', edition: 'ext', table: 'widgets' } as const

/**
 * The compiler must reject each line below an `@ts-expect-error`: `npm run check` fails if it accepts one.
 */
test('The compiler rejects invalid declarations', () => {
  const declarations = [
    // @ts-expect-error: an edition is v1 or ext
    defineResource({ ...base, edition: 'v2', fields: { name }, access: catalog }),
    // @ts-expect-error: 1 is the number of the id
    defineResource({ ...base, fields: { name: required(1, text({ max: 9 })) }, access: catalog }),
    defineResource({
      ...base,
      // @ts-expect-error: 14 is the number of active
      fields: { projectId: references(14, uuid, 'project', 'keep') },
      access: catalog,
    }),
    // @ts-expect-error: two fields have the number 2
    defineResource({ ...base, fields: { name, other: required(2, text({ max: 9 })) }, access: catalog }),
    // @ts-expect-error: a name is not a reference
    defineResource({ ...base, fields: { name }, access: catalog, filters: ['name'] }),
    // @ts-expect-error: there is no such column
    defineResource({ ...base, fields: { name, projectId }, access: catalog, filters: ['userId'] }),
    // @ts-expect-error: a name is not a timestamp
    defineResource({ ...base, fields: { name }, access: catalog, filters: [{ instant: 'name' }] }),
    // @ts-expect-error: a reference is a UUID
    defineResource({ ...base, fields: { a: references(2, timestamp, 'project', 'keep') }, access: catalog }),
    // @ts-expect-error: rows without a project have no members of one
    defineResource({ ...base, fields: { name }, access: membersOfProject }),
    // @ts-expect-error: rows without an assignment do not reach its project
    defineResource({ ...base, fields: { name, projectId }, access: membersOfAssignment }),
    defineResource({
      ...base,
      fields: { name, projectId },
      // @ts-expect-error: there is no column that names the owner
      access: { ...membersOfProject, ownerColumn: 'userId' },
    }),
  ]
  assert.equal(declarations.length, 11)
})

test('The compiler rejects a reference to a resource that does not exist', () => {
  const widget = defineResource({ ...base, fields: { projectId }, access: membersOfProject })
  // @ts-expect-error: No resource is named project.
  assert.equal(withKnownReferences([organization, widget]).length, 2)
})
