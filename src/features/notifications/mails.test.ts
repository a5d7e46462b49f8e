import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextDigest } from './mails.ts'

for (const { name, timeZone, hour, since, expected } of [
  {
    name: 'comes at the hour of the same day',
    timeZone: 'America/Sao_Paulo',
    hour: 8,
    since: '2026-06-01T09:59:59Z',
    expected: '2026-06-01T11:00:00Z',
  },
  {
    name: 'comes on the next day after the hour',
    timeZone: 'America/Sao_Paulo',
    hour: 8,
    since: '2026-06-01T11:00:00Z',
    expected: '2026-06-02T11:00:00Z',
  },
  {
    name: 'comes at midnight',
    timeZone: 'Asia/Kolkata',
    hour: 0,
    since: '2026-06-01T12:00:00Z',
    expected: '2026-06-01T18:30:00Z',
  },
  {
    name: 'keeps its local hour when clocks go forward',
    timeZone: 'Europe/Berlin',
    hour: 8,
    since: '2026-03-28T08:00:00Z',
    expected: '2026-03-29T06:00:00Z',
  },
  {
    name: 'keeps its local hour when clocks go back',
    timeZone: 'Europe/Berlin',
    hour: 8,
    since: '2026-10-24T07:00:00Z',
    expected: '2026-10-25T07:00:00Z',
  },
  {
    name: 'comes at the end of the gap if a day skips the hour',
    timeZone: 'Europe/Berlin',
    hour: 2,
    since: '2026-03-28T12:00:00Z',
    expected: '2026-03-29T01:00:00Z',
  },
  {
    name: 'comes at the first occurrence if a day repeats the hour',
    timeZone: 'Europe/Berlin',
    hour: 2,
    since: '2026-10-24T12:00:00Z',
    expected: '2026-10-25T00:00:00Z',
  },
  {
    name: 'does not come at the second occurrence',
    timeZone: 'Europe/Berlin',
    hour: 2,
    since: '2026-10-25T00:00:01Z',
    expected: '2026-10-26T01:00:00Z',
  },
  {
    name: 'uses UTC if the time zone is unknown',
    timeZone: 'Mars/Olympus',
    hour: 8,
    since: '2026-06-01T09:00:00Z',
    expected: '2026-06-02T08:00:00Z',
  },
])
  test(`a digest ${name}`, () => {
    assert.equal(nextDigest(new Date(since), hour, timeZone).toISOString(), expected.replace('Z', '.000Z'))
  })
