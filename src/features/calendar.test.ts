import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeText, fold, writeCalendar } from './calendar.ts'

const event = {
  id: '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b59',
  summary: 'Build',
  description: null,
  firstDay: '2026-02-27T09:00:00Z',
  lastDay: '2026-02-28T17:00:00Z',
  categories: ['Moon, base', 'Doing'],
  changedAt: '2026-02-01T08:30:15.123456Z',
  url: undefined,
}

test('DTEND is the day after the last day of an event', () => {
  const text = writeCalendar('Tracker', [event])
  assert.match(text, /DTSTART;VALUE=DATE:20260227\r\nDTEND;VALUE=DATE:20260301\r\n/)
  assert.match(text, /DTSTAMP:20260201T083015Z\r\n/)
  assert.match(text, /CATEGORIES:Moon\\, base,Doing\r\n/)
  assert.ok(text.endsWith('END:VEVENT\r\nEND:VCALENDAR\r\n'))
})

test('no text of a user can end its line or begin another property', () => {
  assert.equal(escapeText('a\r\nDTSTART:1\rb\nc;d,e\\f'), 'a\\nDTSTART:1\\nb\\nc\\;d\\,e\\\\f')
  assert.equal(escapeText('bell\u0007 tab\t nul\u0000'), 'bell tab\t nul')
})

test('long lines are folded between characters, at 75 bytes', () => {
  const line = `SUMMARY:${'ü🚀x'.repeat(60)}`
  const folded = fold(line).split('\r\n')
  assert.ok(folded.every((part) => Buffer.byteLength(part) <= 75))
  assert.ok(folded.slice(1).every((part) => part.startsWith(' ')))
  assert.equal(folded.map((part, index) => (index === 0 ? part : part.slice(1))).join(''), line)
  assert.equal(fold('short'), 'short')
})
