import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { en, ptBr } from '../../src/hosts/identity/pages/texts.ts'
import { nodesIn, parseSource, placeholdersOf, textOf } from '../support/syntax.ts'

const hostFolder = join(import.meta.dirname, '..', '..', 'src', 'hosts', 'identity')
const sources = globSync('**/*.ts', { cwd: hostFolder })
  .filter((file) => !/^pages\/texts|\.test\.ts$/.test(file))
  .map((file) => {
    const source = parseSource(readFileSync(join(hostFolder, file), 'utf8'), 'ts')
    return { file, nodes: [...nodesIn(source)] }
  })

describe('the texts of the pages of the identity host', () => {
  it('are all in the list, and none is written in the markup', () => {
    const unlisted = sources.flatMap(({ file, nodes }) =>
      nodes.flatMap(({ node: { type, tag, quasi } }) => {
        if (type !== 'TaggedTemplateExpression' || (tag as { name?: string }).name !== 'html') return []
        const markup = textOf(quasi as Parameters<typeof textOf>[0]) ?? ''
        const attributeTexts = [...markup.matchAll(/(?:aria-label|alt|title|placeholder)="([^"]*)"/g)].map(
          ([, text = '']) => text,
        )
        // Removes tags, and attributes that stand alone because their tag begins in another literal of the
        // template.
        const textBetweenTags = markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/[\w-]+="[^"]*"|data-\w+/g, ' ')
        return [textBetweenTags, ...attributeTexts]
          .filter((text) => /\p{L}/u.test(text))
          .map((text) => `${file}: ${text.trim()}`)
      }),
    )
    assert.deepEqual(unlisted, [])
  })

  it('are all used, and listed once', () => {
    const usedTexts = new Set(sources.flatMap(({ nodes }) => nodes.map(({ node }) => textOf(node))))
    assert.deepEqual(
      en.filter((text) => !usedTexts.has(text)),
      [],
    )
    assert.equal(new Set(en).size, en.length)
  })

  it('have the same placeholders in Portuguese', () => {
    for (const text of en) assert.deepEqual(placeholdersOf(ptBr[text]), placeholdersOf(text), text)
    // Any other equal text would be untranslated.
    assert.deepEqual(
      en.filter((text) => ptBr[text] === text),
      ['Login'],
    )
  })
})
