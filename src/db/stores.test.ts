import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { runners } from './stores.ts'

it('every stepwise statement has a runner', () => {
  const sources = new URL('./../', import.meta.url)
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(new URL(name, sources), 'utf8').matchAll(
        / = stepwiseStatement<[\s\S]*?>\(\s*'([^']+)',?\s*\)/g,
      ),
    ])
    .map(([, name]) => name)
  assert.deepEqual(names.sort(), [...runners.keys()].sort())
})
