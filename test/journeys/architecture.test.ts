import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commandsPage } from '../../scripts/commands-page.ts'
import { configurationPage } from '../../scripts/configuration-page.ts'
import { declaredSettings } from '../../src/config/declared-settings.ts'
import { readSettings, type Settings } from '../../src/config/settings.ts'
import { resourcesOf } from '../../src/resources/derived.ts'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** Quoted or linked texts that look like a path of this repository. */
function pathsIn(markdown: string): string[] {
  const folders = /^(?:\.ci|src|test|docs|bench|scripts|web)\//
  const files = /^[\w.-]+\.(?:md|json|yaml|ts)$/
  const quoted = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? '')
  const linked = [...markdown.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].map(([, text]) => text ?? '')
  return [...new Set([...quoted, ...linked])].filter((text) => folders.test(text) || files.test(text))
}

/** Paths are relative to the page or to the root; a file name alone may be anywhere. */
function isThere(path: string): boolean {
  if (path.includes('*')) return globSync(path, { cwd: root }).length > 0
  if (existsSync(join(root, path))) return true
  if (path.includes('/')) return false
  return globSync(`{src,test,docs,bench,scripts}/**/${path}`, { cwd: root }).length > 0
}

describe('The project’s own pages', () => {
  const pages = [
    'docs/architecture.md',
    'CONTRIBUTING.md',
    'README.md',
    ...globSync('docs/decisions/*.md', { cwd: root }),
  ]
  for (const page of pages) {
    const isMissing = !existsSync(join(root, page))
    test(`name only paths that exist: ${page}`, {
      skip: isMissing && `${page} is not written yet.`,
    }, () => {
      const paths = pathsIn(textOf(page))
      assert.deepEqual(
        paths.filter((path) => !isThere(path)),
        [],
      )
      if (page === 'docs/architecture.md') assert.ok(paths.length > 10)
    })
  }

  test('count the resources and commands of the contract as they are declared', () => {
    const words: Readonly<Record<string, number>> = { ten: 10, eleven: 11, twelve: 12, thirteen: 13 }
    const counted = resourcesOf('v1').length
    const text = pages
      .filter((page) => existsSync(join(root, page)))
      .map(textOf)
      .join('\n')
    const numbersBefore = (noun: string) =>
      [...text.matchAll(new RegExp(`\\b(\\w+) ${noun}\\b`, 'g'))]
        .map(([, word = '']) => words[word] ?? Number(word))
        .filter(Number.isInteger)
    assert.deepEqual([...new Set(numbersBefore('resources'))], [counted])
    assert.deepEqual([...new Set(numbersBefore('(?:typed )?commands'))], [5 * counted])
  })

  test('name only commands that package.json has', () => {
    const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts)
    for (const page of pages.filter((one) => existsSync(join(root, one)))) {
      for (const [, name = ''] of textOf(page).matchAll(/npm run ([\w:-]+)/g))
        assert.ok(scripts.includes(name), `${page}: ${name}`)
    }
  })
})

test('The commands are what docs/commands.md has', () => {
  assert.equal(textOf('docs/commands.md'), commandsPage(), 'npm run contract writes it')
})

describe('The declared settings', () => {
  test('are what docs/configuration.md has', () => {
    assert.equal(textOf('docs/configuration.md'), configurationPage(), 'npm run contract writes it again')
  })

  test('are all read', async () => {
    const read = await variablesRead()
    assert.deepEqual(
      Object.keys(declaredSettings).filter((name) => !read.has(name)),
      [],
    )
  })
})

/** Asks every reader of settings for everything it wants to know, and records the names. */
async function variablesRead(): Promise<Set<string>> {
  const names = new Set<string>(['DRAIN_SECONDS', 'PROCESSES'])
  const files = globSync(['src/config/*-settings.ts', 'src/hosts/*/configuration.ts'], { cwd: root })
  for (const file of files) {
    const exported: Record<string, unknown> = await import(join(root, file))
    for (const [name, reader] of Object.entries(exported))
      if (typeof reader === 'function' && /^read\w+Settings$/.test(name))
        record(reader as (settings: Settings) => unknown, names)
  }
  return names
}

/** Settings of a group are read for each id that is given. */
const environment = {
  Identity__ServiceClients__x__Login: 'x',
  Identity__Clients__x__Name: 'x',
  Identity__Providers__x__ClientId: 'x',
}

function record(reader: (settings: Settings) => unknown, names: Set<string>) {
  try {
    readSettings(environment, (settings) =>
      reader({
        ...settings,
        get(name) {
          names.add(name)
          return settings.get(name)
        },
        getFor(name, id) {
          names.add(name)
          return settings.getFor(name, id)
        },
      }),
    )
  } catch {
    // What is missing or wrong is reported after everything was asked for.
  }
}
