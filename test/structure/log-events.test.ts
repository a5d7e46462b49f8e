import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** Returns the message of each call of a log, whether it is a text or a constant. */
function messagesIn(text: string): string[] {
  const calls = [
    ...text.matchAll(
      /\b(?:log(?:\.rateLimited)?|lines)(?:\.(?:info|warn|error|debug|fatal)|\[\w+\[\w+\]\])\(/g,
    ),
  ]
  return calls.flatMap(({ index, 0: call }) => {
    const rest = text.slice(index + call.length, index + call.length + 500)
    const [, quoted, name] = /(?:^|[\s(])'([^']+\.)'|, (\w+)\)/.exec(rest) ?? []
    return quoted ?? new RegExp(`const ${name} = '([^']+)'`).exec(text)?.[1] ?? `?${rest.slice(0, 60)}`
  })
}

test('Every log message is in docs/log-events.md', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$|\/testing\//.test(file))
  const written = new Set(files.flatMap((file) => messagesIn(textOf(file))))
  const rows = [...textOf('docs/log-events.md').matchAll(/^\| ([A-Z][^|]*\.) \|/gm)].map(
    ([, message]) => message,
  )
  assert.deepEqual([...written].sort(), rows.sort())
  for (const message of written)
    assert.match(message, /^[A-Z][^`$]*\.$/, 'A message is a sentence; values are properties.')
})
