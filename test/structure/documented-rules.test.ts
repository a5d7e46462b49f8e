import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const project = join(import.meta.dirname, '..', '..')

for (const [name, rowsMin] of [
  ['identity-rules.md', 70],
  ['conformance.md', 50],
] as const)
  test(`every rule in docs/${name} names a test that exists`, () => {
    const page = readFileSync(join(project, 'docs', name), 'utf8')
    const rows = [...page.matchAll(/^\| .* \| `([^`]+\.ts)` (.+) \|$/gm)]
    assert.ok(rows.length > rowsMin, `Only ${rows.length} rows can be read.`)
    const missing = rows.flatMap(([, file = '', title = '']) => {
      const path = join(project, file.includes('/') ? file : join('test', 'identity', file))
      const isThere = existsSync(path) && readFileSync(path, 'utf8').includes(title)
      return isThere ? [] : [`${file}: ${title}`]
    })
    assert.deepEqual(missing, [])
  })

test('every check in docs/conformance.md has a test, or a reason why there is none', () => {
  const page = readFileSync(join(project, 'docs', 'conformance.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Check |'))
  assert.deepEqual(
    rows.filter((row) => !/\| (`[^`]+\.test\.ts` .+|not( here)?: .+) \|$/.test(row)),
    [],
  )
})
