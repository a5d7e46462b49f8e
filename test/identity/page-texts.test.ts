import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it, test } from 'node:test'
import { contractEndpoints, extensionEndpoints } from '../../src/hosts/identity/endpoints.ts'
import { en, ptBr } from '../../src/hosts/identity/pages/texts.ts'
import { valuesOf } from '../support/assertions.ts'
import { nodesIn, parseSource, placeholdersOf, textOf } from '../support/syntax.ts'

const project = join(import.meta.dirname, '..', '..')
const hostFolder = join(project, 'src', 'hosts', 'identity')
const filesWithTexts = globSync('**/*.ts', { cwd: hostFolder })
  .filter((file) => !/^pages\/texts|\.test\.ts$/.test(file))
  .map((file) => {
    const source = parseSource(readFileSync(join(hostFolder, file), 'utf8'), 'ts')
    return { file, nodes: [...nodesIn(source)] }
  })

describe('the texts of the pages of the identity host', () => {
  it('are all in the list, and none is written in the markup', () => {
    const unlisted = filesWithTexts.flatMap(({ file, nodes }) =>
      nodes.flatMap(({ node: { type, tag, quasi } }) => {
        if (type !== 'TaggedTemplateExpression' || (tag as { name?: string }).name !== 'html') return []
        const markup = textOf(quasi as Parameters<typeof textOf>[0]) ?? ''
        const attributeTexts = [...markup.matchAll(/(?:aria-label|alt|title|placeholder)="([^"]*)"/g)].map(
          String,
        )
        // Tags are removed, and also attributes whose tag is in another part.
        const textBetweenTags = markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/[\w-]+="[^"]*"|data-\w+/g, ' ')
        return [textBetweenTags, ...attributeTexts.map((attribute) => attribute.split('"')[1] ?? '')]
          .filter((text) => /\p{L}/u.test(text))
          .map((text) => `${file}: ${text.trim()}`)
      }),
    )
    assert.deepEqual(unlisted, [])
  })

  it('are all used, and listed once', () => {
    const usedTexts = new Set(filesWithTexts.flatMap(({ nodes }) => nodes.map(({ node }) => textOf(node))))
    assert.deepEqual(
      en.filter((text) => !usedTexts.has(text)),
      [],
    )
    assert.equal(new Set(en).size, en.length)
  })

  it('have the same placeholders in Portuguese', () => {
    for (const text of en) assert.deepEqual(placeholdersOf(ptBr[text]), placeholdersOf(text), text)
    assert.deepEqual(
      en.filter((text) => ptBr[text] === text),
      ['Login'],
    )
  })
})

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

for (const [name, rowsMin] of [
  ['identity-rules.md', 70],
  ['conformance.md', 50],
] as const)
  test(`every rule in docs/${name} names a test that exists`, () => {
    const page = readFileSync(join(project, 'docs', name), 'utf8')
    const rows = [...page.matchAll(/^\| .* \| `([^`]+\.ts)` (.+) \|$/gm)]
    assert.ok(rows.length > rowsMin, `Only ${rows.length} rows can be read.`)
    const missing = rows.flatMap(([, file = '', title = '']) => {
      const path = join(project, file.includes('/') ? file : join('test', 'identity', file))
      const isThere = existsSync(path) && readFileSync(path, 'utf8').includes(title)
      return isThere ? [] : [`${file}: ${title}`]
    })
    assert.deepEqual(missing, [])
  })

test('every check in docs/conformance.md has a test, or a reason why there is none', () => {
  const page = readFileSync(join(project, 'docs', 'conformance.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Check |'))
  assert.deepEqual(
    rows.filter((row) => !/\| (`[^`]+\.test\.ts` .+|not( here)?: .+) \|$/.test(row)),
    [],
  )
})
