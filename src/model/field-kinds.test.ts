import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choice, hours, integer, isEarlier, newPassword, parseTimestamp, text, uuid } from './field-kinds.ts'

describe('text', () => {
  const name = text({ max: 3 })
  it('is trimmed before it is measured', () => {
    assert.deepEqual(name.parse('  abc  ', 'Name'), { value: 'abc' })
    assert.deepEqual(name.parse('abcd', 'Name'), { problems: ['Name must be at most 3 characters.'] })
  })
  it('is measured in code points, not in UTF-16 code units', () => {
    assert.deepEqual(name.parse('👩👩👩', 'Name'), { value: '👩👩👩' })
    assert.deepEqual(name.parse('👩👩👩👩', 'Name'), { problems: ['Name must be at most 3 characters.'] })
  })
  it('rejects what the database cannot store', () => {
    for (const input of ['a\0', '\ud800', 'a\udc00']) {
      assert.deepEqual(name.parse(input, 'Name'), {
        problems: ['Name contains a character that cannot be stored.'],
      })
    }
  })
  it('cannot be a number, a list or an object', () => {
    for (const input of [1, true, [], {}])
      assert.deepEqual(name.parse(input, 'Name'), { problems: ['Name must be text.'] })
  })
})

describe('a choice', () => {
  const size = choice(['small', 'large'])

  it('is one of the declared words', () => {
    assert.deepEqual(size.parse(' large', 'Size'), { value: 'large' })
    for (const input of ['Large', 'medium', '', 5, null, ['large']])
      assert.deepEqual(size.parse(input, 'Size'), { problems: ['Size must be one of small, large.'] })
  })
})

describe('a uuid', () => {
  it('is kept in lower case, whatever its version bits', () => {
    assert.deepEqual(uuid.parse('8DE21EF6-19A3-01EE-04CD-EA3FAE2E91C9', 'Id'), {
      value: '8de21ef6-19a3-01ee-04cd-ea3fae2e91c9',
    })
  })
  it('is rejected in any other form', () => {
    const wrong = [
      '8de21ef619a341eeb4cdea3fae2e91c9',
      '{8de21ef6-19a3-41ee-b4cd-ea3fae2e91c9}',
      'urn:uuid:8de21ef6',
      7,
    ]
    for (const input of wrong)
      assert.deepEqual(uuid.parse(input, 'ProjectId'), { problems: ['ProjectId must be a UUID.'] })
  })
})

describe('hours', () => {
  const planned = hours({ zeroAllowed: true })
  const recorded = hours({ zeroAllowed: false })
  it('may have two decimals', () => {
    for (const input of [0.25, 7.1, 0.01, 99999.99, 100000])
      assert.deepEqual(recorded.parse(input, 'AmountHours'), { value: input })
    assert.deepEqual(recorded.parse(0.125, 'AmountHours'), {
      problems: ['AmountHours must be a multiple of 0.01.'],
    })
  })
  it('are rounded to the nearest step if they are within a millionth of an hour of it', () => {
    for (const [input, value] of [
      [Math.fround(12.01), 12.01],
      [0.1 + 0.2, 0.3],
      [100000.0000001, 100000],
      [4.5 - 0.9e-6, 4.5],
    ] as const)
      assert.deepEqual(recorded.parse(input, 'AmountHours'), { value })
    for (const [input, value] of [
      [7.2500004, 7.25],
      [-0, 0],
      [-0.9e-6, 0],
    ] as const)
      assert.deepEqual(planned.parse(input, 'AmountHours', { hoursStep: 0.25 }), { value })
    assert.deepEqual(recorded.parse(4.5 + 1.1e-6, 'AmountHours'), {
      problems: ['AmountHours must be a multiple of 0.01.'],
    })
    assert.deepEqual(recorded.parse(0.9e-6, 'AmountHours'), {
      problems: ['AmountHours must be greater than 0.'],
    })
  })
  it('are accepted in the steps that the deployment sets', () => {
    const parse = (input: number, hoursStep: 0.25 | 1) => recorded.parse(input, 'AmountHours', { hoursStep })
    assert.deepEqual(parse(7.25, 0.25), { value: 7.25 })
    assert.deepEqual(parse(7.1, 0.25), { problems: ['AmountHours must be a multiple of 0.25.'] })
    assert.deepEqual(parse(7, 1), { value: 7 })
    assert.deepEqual(parse(7.25, 1), { problems: ['AmountHours must be a multiple of 1.'] })
  })
  it('may be zero only for an estimate', () => {
    assert.deepEqual(planned.parse(0, 'AmountHours'), { value: 0 })
    assert.deepEqual(planned.parse(-1, 'AmountHours'), { problems: ['AmountHours must be 0 or more.'] })
    assert.deepEqual(recorded.parse(0, 'AmountHours'), { problems: ['AmountHours must be greater than 0.'] })
  })
  it('are at most 100000', () => {
    assert.deepEqual(planned.parse(100000.01, 'AmountHours'), {
      problems: ['AmountHours must be at most 100000.'],
    })
    assert.deepEqual(planned.parse(1e300, 'AmountHours'), {
      problems: ['AmountHours must be at most 100000.'],
    })
  })
  it('are a number, not text and not infinite', () => {
    for (const input of ['1', Number.POSITIVE_INFINITY, Number.NaN, [1]]) {
      assert.deepEqual(planned.parse(input, 'AmountHours'), { problems: ['AmountHours must be a number.'] })
    }
  })
})

describe('a whole number', () => {
  const order = integer({ min: 0, max: 2_147_483_647 })
  it('must be within its range', () => {
    assert.deepEqual(order.parse(0, 'Order'), { value: 0 })
    assert.deepEqual(order.parse(2_147_483_647, 'Order'), { value: 2_147_483_647 })
    for (const input of [-1, 2_147_483_648, 1.5, '1', null]) {
      assert.deepEqual(order.parse(input, 'Order'), {
        problems: ['Order must be a whole number from 0 to 2147483647.'],
      })
    }
  })
})

describe('a new password', () => {
  it('is never trimmed, because a space may be part of it', () => {
    assert.deepEqual(newPassword.parse(' Abcdefg1 ', 'Password'), { value: ' Abcdefg1 ' })
  })
  it('reports everything that is wrong with it at once', () => {
    assert.deepEqual(newPassword.parse('abc', 'Password'), {
      problems: [
        'Password must be at least 8 characters.',
        'Password must contain an upper-case letter.',
        'Password must contain a digit.',
        'Password must contain a character that is no letter and no digit.',
      ],
    })
  })
  it('is at most 128 characters of any printable kind', () => {
    assert.deepEqual(newPassword.parse(`${'Ab1!'.repeat(32)}`, 'Password'), { value: 'Ab1!'.repeat(32) })
    assert.deepEqual(newPassword.parse(`${'Ab1!'.repeat(32)}x`, 'Password'), {
      problems: ['Password must be at most 128 characters.'],
    })
    assert.deepEqual(newPassword.parse('Größe-9漢字!', 'Password'), { value: 'Größe-9漢字!' })
    assert.deepEqual(newPassword.parse('Abcdef1!\n', 'Password'), {
      problems: ['Password must not contain control characters.'],
    })
  })
})

describe('a timestamp', () => {
  const inputs: readonly [string, string | undefined][] = [
    ['2026-10-08', '2026-10-08T00:00:00Z'],
    ['2026-10-08T12:34', '2026-10-08T12:34:00Z'],
    ['2026-10-08T12:34:56', '2026-10-08T12:34:56Z'],
    ['2026-10-08T12:34:56.789012Z', '2026-10-08T12:34:56.789012Z'],
    ['2026-10-08T12:34:56.7890129Z', '2026-10-08T12:34:56.789012Z'],
    ['2026-10-08T12:34:56.789012999Z', '2026-10-08T12:34:56.789012Z'],
    ['2026-10-08T23:59:59.999999999+02:00', '2026-10-08T21:59:59.999999Z'],
    ['2026-10-08T12:34:56.000000999', '2026-10-08T12:34:56Z'],
    ['2026-10-08T12:34:56.500Z', '2026-10-08T12:34:56.5Z'],
    ['2026-10-08T01:00:00+02:00', '2026-10-07T23:00:00Z'],
    ['2026-10-08T23:30:00-01:00', '2026-10-09T00:30:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['2026-02-30', undefined],
    ['2025-02-29', undefined],
    ['2026-13-01', undefined],
    ['2026-10-08T24:00', undefined],
    ['2026-10-08T12:60', undefined],
    ['2026-10-08T12:34:60', undefined],
    ['2026-10-08T12:34:56.Z', undefined],
    ['2026-10-08T12:34:56.123456789 Z', undefined],
    ['2026-02-30T12:34:56.123456789Z', undefined],
    ['2026-10-08T12:34:56+2:00', undefined],
    ['2026-10-08T12:34:56 02:00', undefined],
    ['0001-01-01T00:00:00+01:00', undefined],
    ['9999-12-31T23:59:59-01:00', undefined],
    ['2026-10-08 12:34', undefined],
    ['08.10.2026', undefined],
    ['now', undefined],
    ['', undefined],
    ['2026-10-08T12:34:56Z\n', undefined],
  ]
  for (const [input, expected] of inputs) {
    it(expected ? `${input} is parsed as ${expected}` : `${JSON.stringify(input)} is rejected`, () => {
      assert.equal(parseTimestamp(input), expected)
    })
  }

  it('may have a fraction of any length', () => {
    const digits = '123456'.padEnd(1_000_000, '7')
    assert.equal(parseTimestamp(`2026-10-08T12:34:56.${digits}Z`), '2026-10-08T12:34:56.123456Z')
    assert.equal(parseTimestamp(`2026-10-08T12:34:56.${digits}?`), undefined)
  })

  it('is compared to the microsecond', () => {
    assert.equal(isEarlier('2026-10-08T12:34:56Z', '2026-10-08T12:34:56.000001Z'), true)
    assert.equal(isEarlier('2026-10-08T12:34:56.5Z', '2026-10-08T12:34:56.49Z'), false)
    assert.equal(isEarlier('2026-10-08T12:34:56Z', '2026-10-08T12:34:56Z'), false)
  })
})
