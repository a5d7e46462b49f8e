import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { plainText } from '../../web/src/ui/plain-text.ts'

describe('A quoted text', () => {
  for (const [markdown, text] of [
    ['## What happens\n\n- [x] **First** `step`\n1. Then', 'What happens\n\nFirst step\nThen'],
    ['> See [the form](https://example.com/a_b) and ![a picture](/file)', 'See the form and a picture'],
    [
      '2 * 3 * 4, snake_case_name, #12 and @[user:id] stay',
      '2 * 3 * 4, snake_case_name, #12 and @[user:id] stay',
    ],
    ['', ''],
  ] as const)
    test(`of ${JSON.stringify(markdown)} has no marks`, () => assert.equal(plainText(markdown), text))

  test('is parsed quickly, whatever it contains', () => {
    const startedAt = performance.now()
    for (const part of ['[', '**', '`', '> ', '- [ ] ', '![](', '__a']) plainText(part.repeat(20_000))
    assert.ok(performance.now() - startedAt < 1000)
  })
})
