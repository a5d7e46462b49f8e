import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  type Border,
  clientCrossings,
  clientPackage,
  crossings,
  findCycle,
  importGraph,
  reachOf,
  withTable,
} from '../../scripts/borders.ts'

const root = join(import.meta.dirname, '..', '..')

describe('The structure of imports', () => {
  for (const folder of ['src', 'web/src']) {
    test(`has no cycle in ${folder}`, () => {
      const graph = importGraph(folder)
      assert.ok(graph.size > 100)
      assert.deepEqual(findCycle(graph)?.join(' → '), undefined)
    })
  }

  test('crosses no border of the program', () => {
    assert.deepEqual(crossings(importGraph('src')), [])
  })

  test('has no import in the web client that leads down its table, or to a neighbouring screen', () => {
    assert.deepEqual(clientCrossings(importGraph('web/src')), [])
  })

  test('has a package of the client that browsers can load', () => {
    const reached = [...reachOf(importGraph('clients/typescript/src'), clientPackage)]
    assert.ok(reached.includes('clients/typescript/src/send.ts'))
    assert.deepEqual(
      reached.filter((file) => !file.startsWith('clients/typescript/src/')),
      [],
    )
    const commands = reachOf(importGraph('clients/typescript/src'), 'clients/typescript/src/commands.ts')
    assert.ok([...commands].some((file) => file.startsWith('src/')))
  })

  test('is the one on the page of the architecture', () => {
    const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8')
    assert.equal(withTable(page), page, 'Run `node scripts/borders.ts --write` after an intended change.')
  })

  test('would show a cycle of types', () => {
    const graph = new Map([
      ['low/a.ts', ['low/b.ts']],
      ['low/b.ts', ['low/a.ts']],
    ])
    assert.equal(findCycle(graph)?.join(' '), 'low/a.ts low/b.ts low/a.ts')
  })

  test('would show an import that is not allowed', () => {
    const table: readonly Border[] = [
      { folder: 'low', question: '', imports: [] },
      { folder: 'features', question: '', imports: ['low'] },
      { folder: 'hosts', question: '', imports: ['low', 'features'] },
    ]
    const graph = new Map([
      ['src/low/a.ts', ['src/features/one/a.ts']],
      ['src/features/one/a.ts', ['src/low/a.ts', 'src/features/two.ts', 'src/features/changes/feed.ts']],
      ['src/hosts/rest/main.ts', ['src/features/one/a.ts', 'src/hosts/bank/main.ts', 'src/hosts/rest/b.ts']],
      ['src/unknown/a.ts', []],
    ])
    assert.deepEqual(crossings(graph, table), [
      'src/low/a.ts imports src/features/one/a.ts: low/ imports nothing.',
      'src/features/one/a.ts imports src/features/two.ts: features/ imports low/.',
      'src/hosts/rest/main.ts imports src/hosts/bank/main.ts: hosts/ imports low/, features/.',
      'src/unknown/a.ts is in no folder of the table.',
    ])
  })

  test('would show an import in the web client that leads down, or to another screen', () => {
    const graph = new Map([
      ['web/src/ui/a.tsx', ['web/src/time/days.ts', 'web/src/screens/week/a.tsx']],
      ['web/src/screens/week/a.tsx', ['web/src/screens/reports/a.tsx', 'web/src/screens/week/b.tsx']],
      ['web/src/time/days.ts', ['src/model/problem.ts', clientPackage]],
      ['web/src/api/api.ts', ['clients/typescript/src/send.ts']],
    ])
    assert.equal(clientCrossings(graph).length, 4)
  })
})
