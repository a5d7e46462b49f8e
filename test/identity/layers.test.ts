import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../src/hosts/identity')

/** Each folder may import from those above it; the folder of the host itself, which wires all, comes last. */
const layers = [
  'values',
  'keys',
  'pages',
  'core',
  'tokens',
  'authorization',
  'factors',
  'sign-in',
  'federation',
  'endpoints',
  '',
]

test('folders of the identity host import only from layers below them', () => {
  const files = globSync('**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((other) => layerOf(other) > layerOf(file))
      .map((other) => `${file} → ${other}`),
  )
  assert.deepEqual(upward, [])
})

test('no endpoint imports another one', () => {
  const files = globSync('endpoints/*.ts', { cwd: root })
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

/** Files of this host that the file imports, types included. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
    .map(([, path = '']) => relative(root, join(root, dirname(file), path)))
    .filter((path) => !path.startsWith('..'))
}
