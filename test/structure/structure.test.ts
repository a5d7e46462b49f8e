import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { findCircle, importGraph, type Levels, upwardImports } from './import-graph.ts'

/** The lowest first; docs/architecture.md says what each is for, and lint what it may import besides. */
const program: Levels = [
  ['src/model', 'src/schedule', 'src/store/embedded'],
  ['src/configuration', 'src/security-log'],
  ['src/http', 'src/store'],
  ['src/accounts', 'src/telemetry'],
  ['src/resources', 'src/authentication'],
  ['src/access'],
  ['src/operations'],
  ['src/live'],
  ['src/hosts/rest', 'src/hosts/identity', 'src/hosts/commands', 'src/hosts/bank', 'src/hosts/web'],
  ['src/cli'],
  ['src/cli.ts'],
]

const root = join(import.meta.dirname, '..', '..')

/** The folders of the table in web/README.md; those of screens are neighbours. */
const client: Levels = [
  ...readFileSync(join(root, 'web', 'README.md'), 'utf8').matchAll(/^\| `([\w-]+(?:\.tsx)?)\/?` \|/gm),
].map(([, name = '']) =>
  name === 'screens' ? globSync('web/src/screens/*', { cwd: root }) : [`web/src/${name}`],
)

describe('The structure, drawn from every import,', () => {
  for (const [folder, levels] of [
    ['src', program],
    ['web/src', client],
  ] as const) {
    const graph = importGraph(folder)

    test(`has no circle in ${folder}`, () => {
      assert.ok(graph.size > 100)
      assert.deepEqual(findCircle(graph)?.join(' → '), undefined)
    })

    test(`has no import in ${folder} that leads up, or to a neighbour`, () => {
      assert.deepEqual(upwardImports(graph, levels), [])
    })
  }

  test('would show a circle of types, an import that leads up, and one of a neighbour', () => {
    const graph = new Map([
      ['low/a.ts', ['low/b.ts']],
      ['low/b.ts', ['low/a.ts', 'high/c.ts']],
      ['high/c.ts', ['low/a.ts', 'beside/d.ts']],
      ['beside/d.ts', []],
    ])
    assert.equal(findCircle(graph)?.join(' '), 'low/a.ts low/b.ts low/a.ts')
    assert.deepEqual(upwardImports(graph, [['low'], ['high', 'beside']]), [
      'low/b.ts imports high/c.ts, which does not stand below it.',
      'high/c.ts imports beside/d.ts, which does not stand below it.',
    ])
  })
})
