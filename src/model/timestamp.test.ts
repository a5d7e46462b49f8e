import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isEarlier, parseTimestamp } from './timestamp.ts'

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

  it('may have a fraction of any length, which is parsed in linear time and truncated', () => {
    const digits = '123456'.padEnd(1_000_000, '7')
    assert.equal(parseTimestamp(`2026-10-08T12:34:56.${digits}Z`), '2026-10-08T12:34:56.123456Z')
    assert.equal(parseTimestamp(`2026-10-08T12:34:56.${digits}?`), undefined)
  })

  it('is compared to the microsecond, however many digits it has', () => {
    assert.equal(isEarlier('2026-10-08T12:34:56Z', '2026-10-08T12:34:56.000001Z'), true)
    assert.equal(isEarlier('2026-10-08T12:34:56.5Z', '2026-10-08T12:34:56.49Z'), false)
    assert.equal(isEarlier('2026-10-08T12:34:56Z', '2026-10-08T12:34:56Z'), false)
  })
})
