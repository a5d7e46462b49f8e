import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { numberOption } from './options.ts'

test('The options of a benchmark are numbers after their names', () => {
  equal(numberOption(['--seconds', '2', '--rounds', '7'], '--rounds', 3), 7)
  equal(numberOption(['--live', '0'], '--live', 5000), 0)
  equal(numberOption([], '--rounds', 3), 3)
  // A number without a name belongs to no option.
  equal(numberOption(['7'], '--rounds', 3), 3)
  throws(() => numberOption(['--rounds'], '--rounds', 3), /--rounds needs a number/)
})
