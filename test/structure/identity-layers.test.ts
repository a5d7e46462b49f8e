import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { contractEndpoints, extensionEndpoints } from '../../src/hosts/identity/endpoints.ts'
import { valuesOf } from '../support/assertions.ts'

const hostFolder = join(import.meta.dirname, '..', '..', 'src', 'hosts', 'identity')

/**
 * The layers, the lowest first. Each folder may import from earlier folders. The folder of the host itself
 * connects all of them.
 */
const layers = [
  'values',
  'keys',
  'pages',
  'core',
  'authorization',
  'factors',
  'sign-in',
  'federation',
  'endpoints',
  '',
]

test('folders of the identity host import only from layers below them', () => {
  const files = globSync('**/*.ts', { cwd: hostFolder }).filter((file) => !file.endsWith('.test.ts'))
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((other) => layerOf(other) > layerOf(file))
      .map((other) => `${file} → ${other}`),
  )
  assert.deepEqual(upward, [])
})

test('no endpoint imports another one', () => {
  const files = globSync('endpoints/*.ts', { cwd: hostFolder })
  const sideways = files.flatMap((file) => importsOf(file).filter((other) => other.startsWith('endpoints/')))
  assert.ok(files.length > 0)
  assert.deepEqual(sideways, [])
})

function layerOf(file: string): number {
  const [folder = ''] = file.includes('/') ? file.split('/') : []
  const layer = layers.indexOf(folder)
  assert.notEqual(layer, -1, `${folder} is no layer.`)
  return layer
}

/** Returns the files of this host that the file imports, including type imports. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(hostFolder, file), 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
    .map(([, path = '']) => relative(hostFolder, join(hostFolder, dirname(file), path)))
    .filter((path) => !path.startsWith('..'))
}

const endpointFolder = join(hostFolder, 'endpoints')

test('every endpoint that a file declares is mounted and documented', async () => {
  const listed = new Set<unknown>([...contractEndpoints, ...extensionEndpoints])
  const files = await Promise.all(
    readdirSync(endpointFolder).map((name) => import(join(endpointFolder, name))),
  )
  const declared = files.flatMap((exports) => Object.values<unknown>(exports)).filter(isEndpoint)
  assert.deepEqual(
    valuesOf(
      declared.filter((endpoint) => !listed.has(endpoint)),
      'id',
    ),
    [],
  )
  assert.equal(declared.length, listed.size)
})

const isEndpoint = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && 'path' in value && 'id' in value
