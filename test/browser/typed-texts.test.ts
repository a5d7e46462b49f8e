import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keysIn, meansValue, typedValueIn } from '../../web/src/app/typed-texts.ts'

describe('A text in the palette', () => {
  const keys = ['WEB', 'QUAYS', 'QUA', 'AB1']
  for (const { text, expected } of [
    { text: 'QUA-30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'qua 30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'qua30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'q30', expected: ['QUA-30', 'QUAYS-30'] },
    { text: 'ab1-30', expected: ['AB1-30'] },
    { text: '30', expected: ['WEB-30', 'QUAYS-30', 'QUA-30', 'AB1-30'] },
    // A former key of a project is not among the known ones, but its hyphen shows that it is meant as a key.
    { text: 'old-30', expected: ['OLD-30'] },
    { text: 'week 30', expected: [] },
    { text: '030', expected: [] },
    { text: 'qua', expected: [] },
  ])
    test(`“${text}” ${expected.length > 0 ? `may mean ${expected.join(' and ')}` : 'means no key'}`, () => {
      assert.deepEqual(keysIn(text, keys), expected)
    })

  test('means at most a dozen assignments by a number alone', () => {
    const many = Array.from({ length: 20 }, (_, index) => `P${index}`)
    assert.deepEqual(
      keysIn('7', many),
      many.slice(0, 12).map((key) => `${key}-7`),
    )
  })
})

describe('A text in the palette sets a typed value', () => {
  const valueByText = {
    'due tomorrow': 'end tomorrow',
    'end friday': 'end friday',
    'Due: 12 Dec': 'end 12 dec',
    'set the end to +3': 'end +3',
    'due in 2 weeks': 'end in 2 weeks',
    'start monday': 'start monday',
    'starts on next monday': 'start next monday',
    'início amanhã': 'start amanha',
    'prazo friday': 'end friday',
    'planned 3h': 'hours 3h',
    'estimate 1:30': 'hours 1:30',
    'hours 5': 'hours 5',
    'no end': 'end none',
    'due date none': 'end none',
    'sem prazo': 'end none',
    tomorrow: 'end tomorrow?',
    '2h': 'hours 2h?',
    '2026-12-24': 'end 2026-12-24?',
    // Other texts rather look for something.
    due: undefined,
    'end of the world': undefined,
    'start 3': undefined,
    none: undefined,
    '12': undefined,
    '1.2': undefined,
    'fix tomorrow': undefined,
  }
  for (const [text, expected] of Object.entries(valueByText))
    test(`“${text}” sets ${expected ?? 'nothing'}`, () => {
      const value = typedValueIn(text)
      const found = value && `${value.field} ${value.text || 'none'}${value.isNamed ? '' : '?'}`
      assert.equal(found, expected)
    })
})

describe('A text in the palette and a value', () => {
  const person = { field: 'person', value: 'Ana Lima' } as const
  const label = { field: 'labels', needsField: true, value: 'Design' } as const
  for (const { text, isMeant, ...listed } of [
    { text: 'ana', ...person, isMeant: true },
    { text: 'assign ana', ...person, isMeant: true },
    { text: 'assign', ...person, isMeant: false },
    { text: 'ana', ...person, isCurrent: true, isMeant: false },
    { text: 'assign ana', ...person, isCurrent: true, isMeant: true },
    { text: 'design', ...label, isMeant: false },
    { text: 'label design', ...label, isMeant: true },
    { text: 'set label', ...label, isMeant: false },
    { text: 'etiqueta', ...label, isMeant: false },
    { text: 'label design', ...label, isPresent: true, isMeant: false },
    { text: 'no label design', ...label, isPresent: true, isMeant: true },
    { text: 'urgent', field: 'priority', value: 'Urgent', isMeant: true },
    { text: 'label', ...label, value: 'Label of old', isMeant: true },
  ] as const) {
    const state = 'isCurrent' in listed ? 'the current ' : 'isPresent' in listed ? 'the present ' : ''
    test(`“${text}” ${isMeant ? 'means' : 'does not mean'} ${state}“${listed.value}”`, () =>
      assert.equal(meansValue(text, listed, { isPresent: false, ...listed }), isMeant))
  }
})
