import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseQuickText } from '../../web/src/assignment/quick-tokens.ts'
import { addDays, daysOfWeek, today, weekdayOf } from '../../web/src/time/days.ts'
import { valuesOf } from '../support/assertions.ts'

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
  const priority = (level: number, source: string) => ({ kind: 'priority', source, priority: level })
  const hours = (count: number, source: string) => ({ kind: 'hours', source, hours: count })
  const end = (day: string | undefined, source: string) => ({ kind: 'end', source, day })
  const tomorrow = end(addDays(today(), 1), 'tomorrow')
  const inTwoWeeks = end(addDays(today(), 14), 'in 2 weeks')
  const cases = [
    { text: 'Call @ana', name: 'Call', tokens: [person('ana', '@ana')] },
    { text: '@Ana Souza calls', name: 'calls', tokens: [person('ana', '@Ana Souza')] },
    { text: 'Draw it #ui kit', name: 'Draw it', tokens: [label('ui-kit', '#ui kit')] },
    { text: 'Draw #UI it', name: 'Draw it', tokens: [label('ui', '#UI')] },
    { text: 'Fix it !high', name: 'Fix it', tokens: [priority(3, '!high')] },
    { text: 'Ship fri', name: 'Ship', tokens: [end(friday, 'fri')] },
    { text: 'Ship in 2 weeks', name: 'Ship', tokens: [inTwoWeeks] },
    { text: 'Ship 2099-12-24', name: 'Ship', tokens: [end('2099-12-24', '2099-12-24')] },
    {
      text: 'Ship tomorrow @ana #ui',
      name: 'Ship',
      tokens: [person('ana', '@ana'), label('ui', '#ui'), tomorrow],
    },
    { text: 'Fix login tomorrow 2h', name: 'Fix login', tokens: [hours(2, '2h'), tomorrow] },
    { text: 'Fix login 1h30 in 2 weeks', name: 'Fix login', tokens: [inTwoWeeks, hours(1.5, '1h30')] },
    { text: 'Write !low 90min', name: 'Write', tokens: [priority(1, '!low'), hours(1.5, '90min')] },
    { text: '@Jo Lee or @ana', name: '@Jo Lee or', tokens: [person('ana', '@ana')] },
  ]
  for (const { text, name, tokens } of cases)
    test(`is “${name}” in “${text}”, which also sets ${valuesOf(tokens, 'kind').join(' and ')}`, () =>
      assert.deepEqual(parse(text), { name, tokens }))

  for (const text of [
    'Ask @nobody',
    'Ask @jo',
    'Issue #12',
    'me@ana',
    'Wow !huge',
    'Release 2.4',
    'Rope of 2m',
    '2h',
    'fri',
    '@ana',
  ])
    test(`is all of “${text}”, which sets nothing`, () =>
      assert.deepEqual(parse(text), { name: text, tokens: [] }))

  test('includes tokens that the user keeps as text', () =>
    assert.deepEqual(parse('Meet fri', ['fri']), { name: 'Meet fri', tokens: [] }))
})
