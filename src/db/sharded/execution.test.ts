import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { steps } from './execution.ts'

it('has steps for every named statement, and for no other', () => {
  const sources = new URL('../../', import.meta.url)
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(new URL(name, sources), 'utf8').matchAll(
        / = namedStatement<[\s\S]*?>\(\s*'([^']+)',?\s*\)/g,
      ),
    ])
    .map(([, name]) => name)
  assert.deepEqual(names.sort(), [...steps.keys()].sort())
})
