import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ptBr } from '../../web/src/texts/pt-br.ts'
import {
  type LocatedNode,
  nodesIn,
  parseSource,
  placeholdersOf,
  type SyntaxNode,
  textOf,
} from '../support/syntax.ts'

const folder = join(import.meta.dirname, '..', '..', 'web', 'src')

/** A literal or a piece of markup in the sources that contains a letter. */
interface SourceText extends LocatedNode {
  readonly file: string
  readonly text: string
}

const files = globSync('**/*.{ts,tsx}', { cwd: folder })
  .filter((file) => !/^(texts\/(?!declared-names)|api\/types)/.test(file))
  .map((file) => ({
    file,
    tree: parseSource(readFileSync(join(folder, file), 'utf8'), file.endsWith('x') ? 'tsx' : 'ts'),
  }))
const sourceTexts = files.flatMap(({ file, tree }) =>
  [...nodesIn(tree)].flatMap(({ node, ancestors }): SourceText[] => {
    const text = textOf(node)
    return text === undefined || !/\p{L}/u.test(text) ? [] : [{ file, text, node, ancestors }]
  }),
)

/** The catalogue maps each English text to its translation. */
const englishTexts = Object.keys(ptBr) as (keyof typeof ptBr)[]
const catalogue: ReadonlySet<string> = new Set(englishTexts)
const usedTexts = new Set(sourceTexts.map(({ text }) => text))

/** Attributes and properties that people read. */
const visibleNames =
  /^(title|label|aria-label|placeholder|hint|submitLabel|cancelLabel|alt|text|does|about|name)$/
/** Names, keys of a keyboard, and texts that only programs read. */
const exempt: ReadonlySet<string> = new Set([
  'Tracker',
  'Enter',
  'Esc',
  'F2',
  '{} · Tracker',
  'Mac OS X',
  'Bearer {}',
  'The configuration could not be loaded ({}).',
])

const nameOf = (node: SyntaxNode | undefined): string => {
  const name = (node?.name ?? node?.key) as { readonly name?: string; readonly value?: string } | undefined
  return name?.name ?? name?.value ?? ''
}

/** Returns whether the text would be shown untranslated. */
function isUntranslated({ text, node, ancestors }: SourceText): boolean {
  const parent = ancestors.at(-1)
  const isKey = parent?.type === 'Property' && parent.key === node
  if (catalogue.has(text) || exempt.has(text) || isKey) return false
  if (node.type === 'JSXText') return true
  const isSentence = /^\p{Lu}\p{Ll}*,? [\p{L}{]/u.test(text)
  if (node.type === 'TemplateLiteral') {
    const owner = nameOf(ancestors.findLast(({ type }) => type === 'JSXAttribute' || type === 'Property'))
    return (
      isSentence ||
      /^\{\},? \p{Ll}+ \p{Ll}/u.test(text) ||
      (visibleNames.test(owner) && /(^|[\s}])\p{L}{2,}/u.test(text.replaceAll('{}', '')))
    )
  }
  if (isSentence) return true
  // A condition may choose between two words, such as Save and Add.
  if (/^(Conditional|Logical)/.test(parent?.type ?? '') && /^\p{Lu}\p{Ll}+…?$/u.test(text)) return true
  return (
    parent?.type === 'JSXAttribute' && /^(?!name$)/.test(nameOf(parent)) && visibleNames.test(nameOf(parent))
  )
}

describe('The texts of the web client', () => {
  test('are all in the catalogue', () => {
    const untranslated = sourceTexts.filter(isUntranslated).map(({ file, text }) => `${file}: ${text}`)
    assert.deepEqual(untranslated, [])
  })

  test('are all used', () => {
    assert.deepEqual(
      englishTexts.filter((text) => !usedTexts.has(text)),
      [],
    )
  })

  test('are looked up during rendering, not while a script is loading', () => {
    const early = files.flatMap(({ file, tree }) =>
      [...nodesIn(tree)]
        .filter(({ node, ancestors }) => {
          const isLookup =
            node.type === 'CallExpression' && /^t[nx]?$/.test(nameOf({ ...node, name: node.callee }))
          return isLookup && !ancestors.some(({ type }) => /Function/.test(type))
        })
        .map(() => file),
    )
    assert.deepEqual(early, [])
  })

  test('have the same placeholders in Portuguese', () => {
    for (const text of englishTexts) assert.deepEqual(placeholdersOf(ptBr[text]), placeholdersOf(text), text)
  })

  test('have one verb for recording hours in Portuguese', () => {
    const recorded = Object.entries(ptBr).filter(([text]) => /^recorded \{hours\}/.test(text))
    assert.deepEqual(
      recorded.filter(([, translation]) => !translation.startsWith('apontou ')),
      [],
    )
  })

  test('are translated to Portuguese, except for words that are the same in both languages', () => {
    const same = englishTexts.filter(
      (text) => ptBr[text] === text && /\p{L}{2,}/u.test(text.replaceAll(/\{\w+\}/g, '')),
    )
    assert.deepEqual(same.toSorted(), [
      '1 login',
      'Admin',
      'CSV',
      'Link',
      'Login',
      'Token',
      'Total',
      'URL',
      'Webhooks',
      'login',
      '{count} logins',
      '{count} min',
      '{count} ms',
    ])
  })
})
