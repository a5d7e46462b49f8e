import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readSettings, type Settings } from '../../src/configuration/settings.ts'
import { resourcesOf } from '../../src/resources/all.ts'

const root = join(import.meta.dirname, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** What stands in backticks or is linked, and looks like a path of this repository. */
function pathsIn(markdown: string): string[] {
  const folders = /^(?:\.ci|src|test|docs|bench|scripts|web)\//
  const files = /^[\w.-]+\.(?:md|json|yaml|ts)$/
  const quoted = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? '')
  const linked = [...markdown.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].map(([, text]) => text ?? '')
  return [...new Set([...quoted, ...linked])].filter((text) => folders.test(text) || files.test(text))
}

/** Beside the page itself, from the root, or, for a file named alone, anywhere. */
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
    test(`name only paths that exist: ${page}`, { skip: isMissing && `${page} is not written yet.` }, () => {
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

describe('The table of docs/configuration.md', () => {
  test('names every variable that is read, and no other', async () => {
    const read = await variablesRead()
    const documented = namesIn(textOf('docs/configuration.md'))
    const missing = [...read].filter((name) => !documented.has(name))
    const unknown = [...documented].filter((name) => !read.has(name))
    assert.deepEqual({ missing, unknown }, { missing: [], unknown: [] })
  })
})

/** The backticked words of the first column; `__N` or `__0` and `{id}` stand for what the reader chooses. */
function namesIn(page: string): Set<string> {
  const cells = page.split('\n').flatMap((line) => (line.startsWith('|') ? [line.split('|')[1] ?? ''] : []))
  const words = cells.flatMap((cell) =>
    [...cell.matchAll(/`([A-Za-z][\w{}]*)`/g)].map(([, word]) => word ?? ''),
  )
  return new Set(words.map((word) => word.replace(/__(N|\d+)$/, '')))
}

/** Asks every reader of settings for everything it wants to know, and notes the names. */
async function variablesRead(): Promise<Set<string>> {
  const names = new Set<string>()
  const started = globSync('src/cli/*.ts', { cwd: root }).map(textOf).join('')
  // A host that no command starts yet is nobody's to configure.
  const hosts = globSync('src/hosts/*', { cwd: root }).filter((folder) =>
    started.includes(`${folder.slice(4)}/`),
  )
  const files = globSync(['src/configuration/*.ts', ...hosts.map((host) => `${host}/configuration.ts`)], {
    cwd: root,
  })
  for (const file of files.filter((one) => !one.endsWith('.test.ts'))) {
    const exported: Record<string, unknown> = await import(join(root, file))
    for (const [name, reader] of Object.entries(exported)) {
      if (typeof reader !== 'function' || !/^read\w+Settings$/.test(name)) continue
      for (const environment of [
        {},
        {
          Identity__ServiceClients__x__Secret: secret,
          Identity__Clients__x__Secret: secret,
          Identity__Providers__x__ClientSecret: secret,
        },
      ])
        note(environment, reader as (settings: Settings) => unknown, names)
    }
  }
  // What is asked for entry by entry is documented entry by entry.
  return new Set([...names].filter((name) => ![...names].some((other) => other.startsWith(`${name}__`))))
}

/** Entries of a service client, of an app and of a provider are asked for once there is one. */
const secret = 'x'.repeat(32)

function note(
  environment: Readonly<Record<string, string>>,
  reader: (settings: Settings) => unknown,
  names: Set<string>,
) {
  try {
    readSettings(environment, (settings) =>
      reader(
        new Proxy(settings, {
          get(target, method: keyof Settings) {
            const ask = target[method] as (name: string, ...rest: unknown[]) => unknown
            return (name: string, ...rest: unknown[]) => {
              if (method !== 'refuse') names.add(name.replace(/__x__/, '__{id}__'))
              return ask(name, ...rest)
            }
          },
        }),
      ),
    )
  } catch {
    // What is missing or wrong is reported after everything was asked for.
  }
}
