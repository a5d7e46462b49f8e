import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { en, ptBr } from '../../src/hosts/identity/pages/texts.ts'
import { nodesIn, parseSource, placeholdersOf, textOf } from '../support/syntax.ts'

const folder = join(import.meta.dirname, '..', '..', 'src', 'hosts', 'identity')
const files = globSync('**/*.ts', { cwd: folder })
  .filter((file) => !/^pages\/texts|\.test\.ts$/.test(file))
  .map((file) => ({ file, nodes: [...nodesIn(parseSource(readFileSync(join(folder, file), 'utf8'), 'ts'))] }))

describe('the texts of the pages of the identity host', () => {
  it('are in the list: no markup has its own', () => {
    const bare = files.flatMap(({ file, nodes }) =>
      nodes.flatMap(([{ type, tag, quasi }]) => {
        if (type !== 'TaggedTemplateExpression' || (tag as { name?: string }).name !== 'html') return []
        const markup = textOf(quasi as Parameters<typeof textOf>[0]) ?? ''
        const spoken = [...markup.matchAll(/(?:aria-label|alt|title|placeholder)="([^"]*)"/g)].map(String)
        // What is left without tags, and without attributes that belong to a tag elsewhere.
        const between = markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/[\w-]+="[^"]*"|data-\w+/g, ' ')
        return [between, ...spoken.map((attribute) => attribute.split('"')[1] ?? '')]
          .filter((text) => /\p{L}/u.test(text))
          .map((text) => `${file}: ${text.trim()}`)
      }),
    )
    assert.deepEqual(bare, [])
  })

  it('are all said somewhere, and listed once', () => {
    const said = new Set(files.flatMap(({ nodes }) => nodes.map(([node]) => textOf(node))))
    assert.deepEqual(
      en.filter((text) => !said.has(text)),
      [],
    )
    assert.equal(new Set(en).size, en.length)
  })

  it('have the same placeholders in Portuguese, in which nothing but names is the same', () => {
    for (const text of en) assert.deepEqual(placeholdersOf(ptBr[text]), placeholdersOf(text), text)
    assert.deepEqual(
      en.filter((text) => ptBr[text] === text),
      ['Login'],
    )
  })
})
