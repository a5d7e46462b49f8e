import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { contractEndpoints, extensionEndpoints } from '../../src/hosts/identity/endpoints.ts'

const folder = join(import.meta.dirname, '../../src/hosts/identity/endpoints')

test('every endpoint that a file declares is mounted and documented', async () => {
  const listed = new Set<unknown>([...contractEndpoints, ...extensionEndpoints])
  const files = await Promise.all(readdirSync(folder).map((name) => import(join(folder, name))))
  const declared = files.flatMap((exports) => Object.values<unknown>(exports)).filter(isEndpoint)
  assert.deepEqual(
    declared.filter((endpoint) => !listed.has(endpoint)).map(({ id }) => id),
    [],
  )
  assert.equal(declared.length, listed.size)
})

const isEndpoint = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && 'path' in value && 'id' in value
