import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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

/** Shows the marked letters of each match in brackets. */
const found = (text: string) =>
  findMatches(items, text).map(({ name, spans }) =>
    spans.toReversed().reduce((line, [from, to]) => {
      return `${line.slice(0, from)}[${line.slice(from, to)}]${line.slice(to)}`
    }, name),
  )

describe('A text finds names', () => {
  const cases: Readonly<Record<string, readonly (readonly [text: string, ...names: string[]])[]>> = {
    'by beginnings of words, those at the start first, then inside words, then by single letters': [
      ['test', '[Test] of the palette', 'Known by its [test]', 'A con[test]', 'Set [t]h[e] [st]art…'],
    ],
    'by words in any order, those in the order of the text first': [
      ['webs rel', '[Webs]ite [rel]aunch', '[Rel]aunch of the [webs]ite'],
      ['launch web', '[Web]site re[launch]', 'Re[launch] of the [web]site'],
    ],
    'by other words of the same thing, which are not marked': [
      ['settings project', '[Settings]'],
      ['configuracoes', 'Settings'],
    ],
    'by letters that begin words or follow in the same word': [
      ['nwa', '[N]e[w] [a]ssignment'],
      ['newpro', '[New] [pro]ject'],
      ['wt', '[W]ebsi[t]e relaunch', 'Relaunch of the [w]ebsi[t]e'],
      // Letters in the middle of different words are no match.
      ['eas'],
    ],
    'with a wrong, missing, additional or swapped letter in words of four letters': [
      ['rleaunch', 'Website [relaunch]', '[Relaunch] of the website'],
      ['vebsite', '[Website] relaunch', 'Relaunch of the [website]'],
      ['relunch', 'Website [rel]a[unch]', '[Rel]a[unch] of the website'],
      ['relauunch', 'Website [relaunch]', '[Relaunch] of the website'],
      ['settigns', '[Settings]'],
      ['projcet settings', '[Settings]'],
      ['nwe'],
      ['stx'],
    ],
    'with wrong letters only if nothing has the text as it was typed': [
      ['sett', '[Sett]ings', '[Set] [t]he start…'],
    ],
    'without accents and capitals': [
      ['RELACOES', '[Relações] públicas'],
      ['púb', 'Relações [púb]licas'],
    ],
    'not at all': [['zzzz'], ['website nothing']],
  }
  for (const [name, texts] of Object.entries(cases))
    test(name, () => {
      for (const [text, ...names] of texts) assert.deepEqual(found(text), names, text)
    })

  test('all in their order, with nothing marked, if it is empty', () => {
    assert.deepEqual(
      found(' '),
      items.map(({ name }) => name),
    )
  })

  test('and marks the right letters after a letter that consists of two', () => {
    const [match] = findMatches([{ name: 'Açaí 𝒜 e pão' }], 'pao')
    assert.deepEqual(match?.spans, [[10, 13]])
  })

  test('of which it returns the best, no more than requested', () => {
    const search = createSearch(items)
    assert.deepEqual(
      search('test', 2).map(({ name }) => name),
      ['Test of the palette', 'Known by its test'],
    )
    assert.deepEqual(search('e', 1).length, 1)
  })
})
