import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ptBrCatalogue } from '../../web/src/texts/pt-br.ts'
import { setLanguage } from '../../web/src/texts/text.ts'
import { createSearch, findMatches } from '../../web/src/ui/fuzzy.ts'

const items = [
  'Settings',
  'Set the start…',
  'New assignment',
  'New project',
  'Website relaunch',
  'Relaunch of the website',
  'Relações públicas',
  'A contest',
  'Test of the palette',
  'Known by its test',
].map((name) => ({ name, words: name === 'Settings' ? 'project configurações' : '' }))

/** Returns the names that are found, with the marked letters in brackets. */
const found = (text: string) =>
  findMatches(items, text).map(({ name, spans }) =>
    spans
      .toReversed()
      .reduce(
        (marked, [from, to]) => `${marked.slice(0, from)}[${marked.slice(from, to)}]${marked.slice(to)}`,
        name,
      ),
  )

describe('A search', () => {
  type FoundNames = Readonly<Record<string, readonly string[]>>
  const cases: Readonly<Record<string, FoundNames>> = {
    'finds names by beginnings of words, those at the start first, then inside words, then by single letters':
      {
        test: ['[Test] of the palette', 'Known by its [test]', 'A con[test]', 'Set [t]h[e] [st]art…'],
      },
    'finds names by words in any order, those in the typed order first': {
      'webs rel': ['[Webs]ite [rel]aunch', '[Rel]aunch of the [webs]ite'],
      'launch web': ['[Web]site re[launch]', 'Re[launch] of the [web]site'],
    },
    'finds names by their synonyms, which are not marked': {
      'settings project': ['[Settings]'],
      configuracoes: ['Settings'],
    },
    'finds names by letters that begin words or follow in the same word': {
      nwa: ['[N]e[w] [a]ssignment'],
      newpro: ['[New] [pro]ject'],
      wt: ['[W]ebsi[t]e relaunch', 'Relaunch of the [w]ebsi[t]e'],
      // Letters in the middle of different words are no match.
      eas: [],
    },
    'finds names despite a wrong, missing, additional or swapped letter, in words of four letters or more': {
      rleaunch: ['Website [relaunch]', '[Relaunch] of the website'],
      vebsite: ['[Website] relaunch', 'Relaunch of the [website]'],
      relunch: ['Website [rel]a[unch]', '[Rel]a[unch] of the website'],
      relauunch: ['Website [relaunch]', '[Relaunch] of the website'],
      settigns: ['[Settings]'],
      'projcet settings': ['[Settings]'],
      nwe: [],
      stx: [],
    },
    'accepts wrong letters only if no name has the text as it was typed': {
      sett: ['[Sett]ings', '[Set] [t]he start…'],
    },
    'ignores accents and capitals': {
      RELACOES: ['[Relações] públicas'],
      púb: ['Relações [púb]licas'],
    },
    'finds nothing if a word is in no name': { zzzz: [], 'website nothing': [] },
  }
  for (const [title, foundNames] of Object.entries(cases))
    test(title, () => {
      for (const [text, names] of Object.entries(foundNames)) assert.deepEqual(found(text), names, text)
    })

  test('names the other word that matches', () => {
    const aliasOf = (text: string) => findMatches(items, text).map(({ alias }) => alias)
    assert.deepEqual(aliasOf('configuracoes'), ['configurações'])
    assert.deepEqual(aliasOf('settings pro'), ['project'])
    assert.deepEqual(aliasOf('settings'), [undefined])
  })

  test('names other words only in the language of the user, and only those that the name does not contain', (context) => {
    const words = { en: 'title labels', pt: 'título nome' }
    const aliasOf = (text: string) => findMatches([{ name: 'Rename the label…', words }], text)[0]?.alias
    assert.deepEqual(['title', 'nome', 'titulo', 'labels'].map(aliasOf), [
      'title',
      undefined,
      undefined,
      'labels',
    ])
    context.after(() => setLanguage('en-GB', { texts: {} as never, errors: {}, nouns: {} }))
    setLanguage('pt-BR', ptBrCatalogue)
    assert.deepEqual(['title', 'nome', 'titulo'].map(aliasOf), [undefined, 'nome', 'título'])
  })

  test('finds all names in their order for an empty text', () => {
    assert.deepEqual(
      found(' '),
      items.map(({ name }) => name),
    )
  })

  test('marks the right letters after a letter that has two UTF-16 code units', () => {
    const [match] = findMatches([{ name: 'Açaí 𝒜 e pão' }], 'pao')
    assert.deepEqual(match?.spans, [[10, 13]])
  })

  test('returns the best names, no more than requested', () => {
    const search = createSearch(items)
    assert.deepEqual(
      search('test', 2).map(({ name }) => name),
      ['Test of the palette', 'Known by its test'],
    )
    assert.equal(search('e', 1).length, 1)
  })
})
