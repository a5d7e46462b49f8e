import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseQuickText } from '../../web/src/screens/project/quick-tokens.ts'
import { addDays, daysOfWeek, today, weekdayOf } from '../../web/src/time/days.ts'

const people = [
  { id: 'ana', name: 'Ana Souza' },
  { id: 'anabel', name: 'Anabel Cruz' },
  { id: 'jo1', name: 'Jo Park' },
  { id: 'jo2', name: 'Jo Lee' },
]
const labels = [
  { id: 'ui', name: 'UI' },
  { id: 'ui-kit', name: 'UI kit' },
]
const parse = (text: string, kept: readonly string[] = []) =>
  parseQuickText(text, { people, labels }, new Set(kept))
const friday = daysOfWeek(addDays(today(), 1)).find((day) => weekdayOf(day) === 5)

describe('A name that is typed into quick add', () => {
  const person = (id: string, source: string) => ({ kind: 'person', source, id })
  const label = (id: string, source: string) => ({ kind: 'label', source, id })
  const end = (day: string | undefined, source: string) => ({ kind: 'end', source, day })
  const cases: readonly (readonly [text: string, name: string, ...tokens: object[]])[] = [
    ['Call @ana', 'Call', person('ana', '@ana')],
    ['@Ana Souza calls', 'calls', person('ana', '@Ana Souza')],
    ['Draw it #ui kit', 'Draw it', label('ui-kit', '#ui kit')],
    ['Draw #UI it', 'Draw it', label('ui', '#UI')],
    ['Fix it !high', 'Fix it', { kind: 'priority', source: '!high', priority: 3 }],
    ['Ship fri', 'Ship', end(friday, 'fri')],
    ['Ship in 2 weeks', 'Ship', end(addDays(today(), 14), 'in 2 weeks')],
    ['Ship 2099-12-24', 'Ship', end('2099-12-24', '2099-12-24')],
    [
      'Ship tomorrow @ana #ui',
      'Ship',
      person('ana', '@ana'),
      label('ui', '#ui'),
      end(addDays(today(), 1), 'tomorrow'),
    ],
    ['@Jo Lee or @ana', '@Jo Lee or', person('ana', '@ana')],
    // All of these stay text.
    ['Ask @nobody', 'Ask @nobody'],
    ['Ask @jo', 'Ask @jo'],
    ['Issue #12', 'Issue #12'],
    ['me@ana', 'me@ana'],
    ['Wow !huge', 'Wow !huge'],
    ['Release 2.4', 'Release 2.4'],
    ['fri', 'fri'],
    ['@ana', '@ana'],
  ]
  for (const [text, name, ...tokens] of cases)
    test(`“${text}” is “${name}” and sets ${tokens.length}`, () =>
      assert.deepEqual(parse(text), { name, tokens }))

  test('sets nothing by what is kept as text', () =>
    assert.deepEqual(parse('Meet fri', ['fri']), { name: 'Meet fri', tokens: [] }))
})
