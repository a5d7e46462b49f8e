import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { guessableProblem } from '../../src/accounts/guessable-password.ts'
import { labelOf } from '../../src/model/field.ts'
import { passwordProblems } from '../../src/model/password-policy.ts'
import { resources } from '../../src/resources/all.ts'
import { ptBrSpeech } from '../../web/src/texts/pt-br.ts'
import { inOwnWords as inWordsOf } from '../../web/src/texts/text.ts'
import { nodesIn, parseSource, placeholdersOf, textOf } from '../support/syntax.ts'

const folder = join(import.meta.dirname, '..', '..', 'src')

/** What the web client asks for or what a form of it sends. */
const sources = [
  ...globSync('{access,accounts,authentication,model,operations,resources}/**/*.ts', { cwd: folder }),
  ...globSync('hosts/rest/{without-passwords,extensions/{link-schemas,mailed-link-routes}}.ts', {
    cwd: folder,
  }),
  ...[
    'hosts/identity/endpoints/factors.ts',
    'hosts/identity/factors/factor-caller.ts',
    'store/duplicates.ts',
  ],
]
/** Only what somebody programs can be refused with these: bodies, queries, ids, and how they are written. */
const forPrograms =
  /operations\/(batch|feed|query|reports|get|list|read-ids|read-list-query|settled-moment|webhooks\/deliveries)|model\/read-object/
const sentencesForPrograms: ReadonlySet<string> = new Set([
  'Ids must contain 1 to {} ids of sessions.',
  'Ids must contain 1 to {} ids of tokens.',
])

const refusing =
  /^(Problem|OAuthError|refused|invalid|forbidden|duplicate|missing|gone|overloaded|add|refuse|inUse|stale|changed)$/

/** The sentences that a file refuses with: in a call that refuses, or by a property in a list. */
function refusalsOf(file: string): string[] {
  const calleeOf = ({ callee }: Record<string, unknown>) => {
    const { name, property } = (callee ?? {}) as { name?: string; property?: { name?: string } }
    return property?.name ?? name ?? ''
  }
  return [...nodesIn(parseSource(readFileSync(join(folder, file), 'utf8'), 'ts'))].flatMap(
    ([node, around]) => {
      const text = textOf(node)
      if (text === undefined || !/^[\p{Lu}{].* .*\.$/u.test(text)) return []
      const isSaid =
        around.some((one) => refusing.test(calleeOf(one))) ||
        (around.at(-1)?.type === 'ArrayExpression' && around.at(-2)?.type === 'Property') ||
        file === 'model/problem.ts'
      const isDescription = around.some(
        ({ type, key }) =>
          type === 'Property' && /description|summary/.test(String((key as { name?: string }).name)),
      )
      return isSaid && !isDescription ? [text] : []
    },
  )
}

const inOwnWords = (sentence: string) => inWordsOf(sentence, ptBrSpeech)
const patterns = Object.keys(ptBrSpeech.refusals)
const bare = (text: string) => text.replaceAll(/\{\w+\}/g, '{}')

describe('What the server refuses, in Portuguese,', () => {
  const untranslated = (sentences: readonly string[]) => sentences.filter((one) => inOwnWords(one) === one)

  test('is known for every sentence of the declarations and rules, and of accounts', () => {
    const said = sources
      .filter((file) => !/\.test\.ts$/.test(file) && !forPrograms.test(file))
      .flatMap(refusalsOf)
    assert.ok(said.length > 80, said.join('\n'))
    const filled = (text: string) =>
      text.replaceAll('{}{}', '{}').replace(/^\{\}/, 'Name').replaceAll('{}', '7')
    const unknown = said.filter(
      (text) =>
        // Put together from parts, which the next test goes through.
        !/^(\w+|\{\}) \{\}\.$|^\{\} must be \{\}\.$/.test(text) &&
        !sentencesForPrograms.has(text) &&
        inOwnWords(filled(text)) === filled(text),
    )
    assert.deepEqual([...new Set(unknown)], [])
    const sayable = new Set(said.map(bare))
    const stale = patterns.filter(
      (pattern) =>
        !said.some((text) => inOwnWordsBy(pattern, filled(text))) &&
        !sayable.has(bare(pattern)) &&
        !isOfParts(pattern),
    )
    assert.deepEqual(stale, [])
  })

  test('is known for whatever a field of any resource finds wrong, and a password', () => {
    const wrong = [5, 'x'.repeat(20_000), 'x\0', -1, 0, 1e9, 0.001, {}, '', 'short', Number.NaN]
    const found = Object.values(resources).flatMap(({ fields }) =>
      Object.entries(fields).flatMap(([name, field]) =>
        wrong.flatMap((input) => {
          const reading = field.read(input, labelOf(name))
          return 'problems' in reading ? reading.problems : []
        }),
      ),
    )
    assert.ok(new Set(found).size > 30, found.join())
    const passwords = ['', '\u0007', 'x'.repeat(300)].flatMap((one) => passwordProblems(one, 'NewPassword'))
    const guessable = ['Password1!', 'ada@example.com'].map(
      (one) => `NewPassword ${guessableProblem(one, 'ada@example.com')}.`,
    )
    assert.deepEqual(untranslated([...found, ...passwords, ...guessable]), [])
  })

  test('names every kind of record in Portuguese', () => {
    const named = Object.values(resources).flatMap(({ title, noun, pluralNoun }) => [title, noun, pluralNoun])
    const still = named.filter((one) => inOwnWords(`${one} was not found.`) === `Não encontrado: ${one}.`)
    assert.deepEqual(still, [])
  })

  test('begins with the field where the server does, and takes no name that the server does not give', () => {
    for (const [pattern, translation] of Object.entries(ptBrSpeech.refusals)) {
      if (pattern.startsWith('{field}')) assert.ok(translation.startsWith('{field}: '), translation)
      const known = placeholdersOf(pattern)
      for (const name of placeholdersOf(translation)) assert.ok(known.includes(name), translation)
    }
    assert.equal(inOwnWords('Name must be at most 200 characters.'), 'Name: no máximo 200 caracteres.')
    assert.equal(inOwnWords('Nobody has translated this (yet).'), 'Nobody has translated this (yet).')
  })
})

/** Of lists and words that the sources put together while they run. */
const isOfParts = (pattern: string): boolean =>
  /^\{field\} (must|is) /.test(pattern) || /\{(list|does)\}/.test(pattern)

const inOwnWordsBy = (pattern: string, sentence: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.?:/()-]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+')}$`).test(sentence)
