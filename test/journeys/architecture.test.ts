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

/** Returns the quoted or linked texts that look like a path of this repository. */
function pathsIn(markdown: string): string[] {
  const folders = /^(?:\.ci|src|test|docs|bench|scripts|web)\//
  const files = /^[\w.-]+\.(?:md|json|yaml|ts)$/
  const quoted = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? '')
  const linked = [...markdown.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].map(([, text]) => text ?? '')
  return [...new Set([...quoted, ...linked])].filter((text) => folders.test(text) || files.test(text))
}

/** Paths are relative to the root. A file name alone may be anywhere. */
function pathExists(path: string): boolean {
  if (path.includes('*')) return globSync(path, { cwd: root }).length > 0
  if (existsSync(join(root, path))) return true
  if (path.includes('/')) return false
  return globSync(`{src,test,docs,bench,scripts}/**/${path}`, { cwd: root }).length > 0
}

describe('The documentation of the project', () => {
  const pages = [
    'docs/architecture.md',
    'CONTRIBUTING.md',
    'README.md',
    ...globSync('docs/decisions/*.md', { cwd: root }),
  ]
  for (const page of pages) {
    const isMissing = !existsSync(join(root, page))
    test(`mentions only paths that exist: ${page}`, {
      skip: isMissing && `${page} is not written yet.`,
    }, () => {
      const paths = pathsIn(textOf(page))
      assert.deepEqual(
        paths.filter((path) => !pathExists(path)),
        [],
      )
      if (page === 'docs/architecture.md') assert.ok(paths.length > 10)
    })
  }

  test('states how many resources and commands the contract really has', () => {
    const numerals: Readonly<Record<string, number>> = { ten: 10, eleven: 11, twelve: 12, thirteen: 13 }
    const resourceCount = resourcesOf('v1').length
    const text = pages
      .filter((page) => existsSync(join(root, page)))
      .map(textOf)
      .join('\n')
    const numbersBefore = (noun: string) =>
      [...text.matchAll(new RegExp(`\\b(\\w+) ${noun}\\b`, 'g'))]
        .map(([, word = '']) => numerals[word] ?? Number(word))
        .filter(Number.isInteger)
    assert.deepEqual([...new Set(numbersBefore('resources'))], [resourceCount])
    assert.deepEqual([...new Set(numbersBefore('(?:typed )?commands'))], [5 * resourceCount])
  })

  test('mentions only scripts that package.json has', () => {
    const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts)
    for (const page of pages.filter((path) => existsSync(join(root, path)))) {
      for (const [, name = ''] of textOf(page).matchAll(/npm run ([\w:-]+)/g))
        assert.ok(scripts.includes(name), `${page}: ${name}`)
    }
  })
})

test('docs/commands.md is generated from the commands', () => {
  assert.equal(textOf('docs/commands.md'), commandsPage(), 'Run npm run contract.')
})

describe('The declared settings', () => {
  test('are documented in docs/configuration.md', () => {
    assert.equal(textOf('docs/configuration.md'), configurationPage(), 'Run npm run contract.')
  })

  test('are all read', async () => {
    const namesRead = await findNamesRead()
    assert.deepEqual(
      Object.keys(declaredSettings).filter((name) => !namesRead.has(name)),
      [],
    )
  })
})

/** Calls every function that reads settings, and returns the names that were read. */
async function findNamesRead(): Promise<Set<string>> {
  // `npm start` reads these two itself.
  const names = new Set<string>(['DRAIN_SECONDS', 'PROCESSES'])
  const files = globSync(['src/config/*-settings.ts', 'src/hosts/*/configuration.ts'], { cwd: root })
  for (const file of files) {
    const exported: Record<string, unknown> = await import(join(root, file))
    for (const [name, reader] of Object.entries(exported))
      if (typeof reader === 'function' && /^read\w+Settings$/.test(name))
        recordNames(reader as (settings: Settings) => unknown, names)
  }
  return names
}

/** The settings of a group are read for each id that is set. */
const environment = {
  Identity__ServiceClients__x__Login: 'x',
  Identity__Clients__x__Name: 'x',
  Identity__Providers__x__ClientId: 'x',
}

function recordNames(reader: (settings: Settings) => unknown, names: Set<string>) {
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
    // Problems are reported after all settings have been read.
  }
}
