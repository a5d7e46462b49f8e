import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')

test('every rule in docs/identity-rules.md names a test that exists', () => {
  const page = readFileSync(join(root, 'docs', 'identity-rules.md'), 'utf8')
  const rows = [...page.matchAll(/^\| .* \| `([^`]+\.ts)` (.+) \|$/gm)]
  assert.ok(rows.length > 70, `Only ${rows.length} rows can be read.`)
  const missing = rows.flatMap(([, file = '', title = '']) => {
    const path = join(root, file.includes('/') ? file : join('test', 'identity', file))
    const isThere = existsSync(path) && readFileSync(path, 'utf8').includes(title)
    return isThere ? [] : [`${file}: ${title}`]
  })
  assert.deepEqual(missing, [])
})
