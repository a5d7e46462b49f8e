import { equal } from 'node:assert/strict'
import { it } from 'node:test'
import { httpDate, parseHttpDate } from './conditional.ts'

const second = 784_111_777
const now = Date.parse('2026-11-22T00:00:00Z')

it('a date is parsed in the three formats of HTTP', () => {
  equal(httpDate(second), 'Sun, 06 Nov 1994 08:49:37 GMT')
  for (const text of [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ])
    equal(parseHttpDate(text, now), second, text)
  equal(parseHttpDate('Wednesday, 22-Nov-28 00:00:00 GMT', now), Date.UTC(2028, 10, 22) / 1000)
  equal(parseHttpDate('Tue Nov 15 08:12:31 2022'), Date.UTC(2022, 10, 15, 8, 12, 31) / 1000)
  equal(parseHttpDate(httpDate(0)), 0)
})

it('any other text is not a date', () => {
  for (const text of [
    '',
    '*',
    'yesterday',
    '784111777',
    '1994-11-06T08:49:37Z',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37 EST',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:49:60 GMT',
    'Wed, 30 Feb 1994 08:49:37 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:38 GMT',
    `Sun, 06 Nov 1994 08:49:37 GMT${' '.repeat(5000)}x`,
  ])
    equal(parseHttpDate(text), undefined, text)
})
