import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'docs/decisions')
const records = readdirSync(folder)
const numbers = new Set(records.map((name) => name.slice(0, 4)))
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

describe('The decision records', () => {
  test('are at most forty, one for each number', () => {
    assert.ok(records.length <= 40, `${records.length} records: merge those on one subject.`)
    assert.equal(numbers.size, records.length)
  })

  for (const name of records) {
    test(`have at most 60 lines in three parts, and name records that exist: ${name}`, () => {
      const text = readFileSync(join(folder, name), 'utf8')
      const lines = text.trimEnd().split('\n')
      assert.ok(lines.length <= 60, `${lines.length} lines`)
      assert.ok(lines[0]?.startsWith(`# ${name.slice(0, 4)} `), lines[0])
      const headings = lines.filter((line) => line.startsWith('## '))
      assert.deepEqual(headings, ['## Context', '## Decision', '## Consequences'])
      const named = [...text.matchAll(/(?<!migration )\b0[01]\d\d\b(?!-)/g)].map(([number]) => number)
      assert.deepEqual(
        named.filter((number) => !numbers.has(number)),
        [],
      )
    })
  }

  test('are there wherever another file refers to one', () => {
    const sources = globSync(
      '{src,test,scripts,bench,clients,deploy,web/src,docs}/**/*.{ts,tsx,md,sql,conf,cfg}',
      {
        cwd: root,
        exclude: (path) => /node_modules|docs\/decisions|decisions\.test\.ts/.test(path),
      },
    )
    const pages = ['CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'web/README.md']
    const pattern = /decisions\/\d{4}|decision \[?\d{4}|\((?:see )?0[01]\d\d\)/i
    const lines = [...sources, ...pages].flatMap((path) =>
      textOf(path)
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line}`),
    )
    assert.ok(lines.length > 10)
    for (const line of lines) {
      for (const [, path = ''] of line.matchAll(/decisions\/(\d{4}-[\w-]+\.md)/g))
        assert.ok(records.includes(path), line)
      for (const [, number = ''] of line.matchAll(/(?:decision \[?|\((?:see )?)(0[01]\d\d)\b/gi))
        assert.ok(numbers.has(number), line)
    }
  })
})

test('the entries of the changelog are short, and grouped by what they are', () => {
  const lines = textOf('CHANGELOG.md').split('\n')
  const headings = lines.filter((line) => line.startsWith('### '))
  assert.deepEqual([...new Set(headings)].sort(), ['### Added', '### Changed', '### Fixed'])
  const entries = lines.filter((line) => line.startsWith('- '))
  assert.ok(entries.length > 100)
  assert.deepEqual(
    entries.filter((entry) => entry.slice(2).split(/\s+/).length > 25),
    [],
  )
})
