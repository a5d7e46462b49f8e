import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextDigest } from './mails.ts'

for (const [name, timeZone, hour, since, expected] of [
  [
    'comes at the hour of the same day',
    'America/Sao_Paulo',
    8,
    '2026-06-01T09:59:59Z',
    '2026-06-01T11:00:00Z',
  ],
  [
    'comes on the next day after the hour',
    'America/Sao_Paulo',
    8,
    '2026-06-01T11:00:00Z',
    '2026-06-02T11:00:00Z',
  ],
  ['comes at midnight', 'Asia/Kolkata', 0, '2026-06-01T12:00:00Z', '2026-06-01T18:30:00Z'],
  [
    'keeps its local hour when clocks go forward',
    'Europe/Berlin',
    8,
    '2026-03-28T08:00:00Z',
    '2026-03-29T06:00:00Z',
  ],
  [
    'keeps its local hour when clocks go back',
    'Europe/Berlin',
    8,
    '2026-10-24T07:00:00Z',
    '2026-10-25T07:00:00Z',
  ],
  [
    'comes at the end of the gap if a day skips the hour',
    'Europe/Berlin',
    2,
    '2026-03-28T12:00:00Z',
    '2026-03-29T01:00:00Z',
  ],
  [
    'comes at the first occurrence if a day repeats the hour',
    'Europe/Berlin',
    2,
    '2026-10-24T12:00:00Z',
    '2026-10-25T00:00:00Z',
  ],
  [
    'does not come at the second occurrence',
    'Europe/Berlin',
    2,
    '2026-10-25T00:00:01Z',
    '2026-10-26T01:00:00Z',
  ],
  ['uses UTC if the time zone is unknown', 'Mars/Olympus', 8, '2026-06-01T09:00:00Z', '2026-06-02T08:00:00Z'],
] as const)
  test(`a digest ${name}`, () => {
    assert.equal(nextDigest(new Date(since), hour, timeZone).toISOString(), expected.replace('Z', '.000Z'))
  })
