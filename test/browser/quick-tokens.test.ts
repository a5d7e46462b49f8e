import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseQuickText } from '../../web/src/assignment/quick-tokens.ts'
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

describe('A name in quick add', () => {
  const person = (id: string, source: string) => ({ kind: 'person', source, id })
  const label = (id: string, source: string) => ({ kind: 'label', source, id })
  const hours = (count: number, source: string) => ({ kind: 'hours', source, hours: count })
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
    ['Fix login tomorrow 2h', 'Fix login', hours(2, '2h'), end(addDays(today(), 1), 'tomorrow')],
    ['Fix login 1h30 in 2 weeks', 'Fix login', end(addDays(today(), 14), 'in 2 weeks'), hours(1.5, '1h30')],
    ['Write !low 90min', 'Write', { kind: 'priority', source: '!low', priority: 1 }, hours(1.5, '90min')],
    ['@Jo Lee or @ana', '@Jo Lee or', person('ana', '@ana')],
    // All of these stay text.
    ['Ask @nobody', 'Ask @nobody'],
    ['Ask @jo', 'Ask @jo'],
    ['Issue #12', 'Issue #12'],
    ['me@ana', 'me@ana'],
    ['Wow !huge', 'Wow !huge'],
    ['Release 2.4', 'Release 2.4'],
    ['Rope of 2m', 'Rope of 2m'],
    ['2h', '2h'],
    ['fri', 'fri'],
    ['@ana', '@ana'],
  ]
  for (const [text, name, ...tokens] of cases)
    test(`“${text}” is “${name}” and sets ${tokens.length}`, () =>
      assert.deepEqual(parse(text), { name, tokens }))

  test('sets nothing by tokens that the user keeps as text', () =>
    assert.deepEqual(parse('Meet fri', ['fri']), { name: 'Meet fri', tokens: [] }))
})
