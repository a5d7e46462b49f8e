import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { plainText } from '../../web/src/ui/plain-text.ts'

describe('A quoted text', () => {
  const plainTexts = {
    '## What happens\n\n- [x] **First** `step`\n1. Then': 'What happens\n\nFirst step\nThen',
    '> See [the form](https://example.com/a_b) and ![a picture](/file)': 'See the form and a picture',
    '2 * 3 * 4, snake_case_name, #12 and @[user:id] stay':
      '2 * 3 * 4, snake_case_name, #12 and @[user:id] stay',
    '': '',
  }
  for (const [markdown, text] of Object.entries(plainTexts))
    test(`is ${JSON.stringify(markdown)} without marks`, () => assert.equal(plainText(markdown), text))

  test('is parsed quickly, whatever it contains', () => {
    const cpuBefore = process.threadCpuUsage()
    for (const part of ['[', '**', '`', '> ', '- [ ] ', '![](', '__a']) plainText(part.repeat(20_000))
    const cpuMilliseconds = process.threadCpuUsage(cpuBefore).user / 1000
    assert.ok(cpuMilliseconds < 1000, `${cpuMilliseconds} ms`)
  })
})
