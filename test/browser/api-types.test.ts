import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { apiTypesOf } from '../../scripts/api-types.ts'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

test('The web client’s types are those of the contract: npm run contract writes them', () => {
  const written = (name: string) => JSON.parse(textOf(`docs/contract/${name}`))
  const types = apiTypesOf(written('rest.v1.json'), written('extensions.v1.json'))
  assert.equal(textOf('web/src/api/types.ts'), types)
})

test('A name with two limits is rejected with both of its places', () => {
  const withText = (title: string, maxLength: number) => ({
    paths: {},
    components: { schemas: { [title]: { properties: { text: { type: 'string', maxLength } } } } },
  })
  assert.throws(
    () => apiTypesOf(withText('CommentCreate', 10_000), withText('NoteCreate', 200)),
    /^Error: text is limited to 10000 in CommentCreate and to 200 in NoteCreate: /,
  )
})
