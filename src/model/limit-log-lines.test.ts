import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createRate } from './budget.ts'
import { type LogWriter, limitLogLines } from './limit-log-lines.ts'

function limited(max: number) {
  const written: object[] = []
  const write = (details: object) => void written.push(details)
  const lines: LogWriter = { debug: write, info: write, warn: write, error: write }
  let seconds = 0
  const budget = createRate({ max, perSecond: 1, now: () => seconds * 1000 })
  return { lines: limitLogLines(lines, budget), written, pass: () => (seconds += 1) }
}

test('The next line that fits the budget reports how many were left out', () => {
  const { lines, written, pass } = limited(2)
  for (let count = 1; count <= 5; count += 1) lines.info({ count }, 'A request has ended.')
  pass()
  lines.info({ count: 6 }, 'A request has ended.')
  pass()
  lines.info({ count: 7 }, 'A request has ended.')
  deepEqual(written, [{ count: 1 }, { count: 2 }, { count: 6, leftOut: 3 }, { count: 7 }])
})

test('The last line of a flood is written after a while', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { lines, written } = limited(1)
  for (let count = 1; count <= 5; count += 1) lines.warn({ count }, 'A request has ended.')
  t.mock.timers.tick(1000)
  // Nothing else is written afterwards.
  t.mock.timers.tick(1000)
  deepEqual(written, [{ count: 1 }, { count: 5, leftOut: 3 }])
})

test('A flood of one event does not suppress lines of other events and outcomes', () => {
  const { lines, written } = limited(1)
  const wrong = { security: 'sign-in', outcome: 'wrong' }
  const otherEvents = [
    { security: 'sign-in', outcome: 'right' },
    { security: 'client-refused', outcome: 'no secret' },
  ]
  for (let count = 1; count <= 5; count += 1) lines.info(wrong, 'A security event.')
  for (const event of otherEvents) lines.info(event, 'A security event.')
  deepEqual(written, [wrong, ...otherEvents])
})
