import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/**
 * Says which folders a folder may import. Lint (`npm run lint`), the structure test and the table in
 * docs/architecture.md use these entries; `node scripts/borders.ts --write` rewrites the page.
 */
export interface Border {
  readonly folder: string
  readonly question: string
  /** Folders of this table. A folder inside another folder is not included: it is named separately. */
  readonly imports: readonly string[] | 'everything'
}

/** The folders that several entries import. */
const below = {
  records: ['model', 'config', 'db', 'observability', 'accounts', 'resources'],
  features: [
    'model',
    'config',
    'http',
    'db',
    'observability',
    'accounts',
    'resources',
    'auth',
    'records',
    'routes',
  ],
}

export const borders: readonly Border[] = [
  {
    folder: 'resources',
    question: 'What is a project, an assignment …? One declaration per resource. **Start reading here.**',
    imports: ['model', 'db', 'accounts'],
  },
  {
    folder: 'records',
    question:
      'How do the verbs work (create, get, list, update, remove, restore, batch, query), and who may use them? No transport.',
    imports: below.records,
  },
  {
    folder: 'features',
    question:
      'How does everything else work (webhooks, reports, exports …)? One folder or file each, with its routes, schemas, SQL and worker.',
    imports: below.features,
  },
  {
    folder: 'routes',
    question: 'What defines a REST route: its declaration, the schemas of records, `If-Match`?',
    imports: [...below.records, 'http', 'auth', 'records'],
  },
  {
    folder: 'accounts',
    question: 'How do accounts work: passwords, sessions, lockouts, links, administrators?',
    imports: ['model', 'config', 'db', 'observability'],
  },
  {
    folder: 'auth',
    question: 'How does a bearer token become a caller?',
    imports: ['model', 'db', 'accounts', 'observability'],
  },
  {
    folder: 'hosts',
    question: 'What does each port serve? No host imports another.',
    imports: [...below.features, 'features'],
  },
  {
    folder: 'hosts/bank',
    question: 'How does the bank-account service work? It shares only the layers below with the tracker.',
    imports: ['model', 'config', 'http', 'db', 'observability'],
  },
  {
    folder: 'http',
    question: 'What do the HTTP hosts share: envelope, limiter, validators, event stream, health?',
    imports: ['model', 'config', 'observability'],
  },
  {
    folder: 'db',
    question:
      'How do we use PostgreSQL: connections, transactions, SQL, migrations, standbys, the change log?',
    imports: ['model', 'config', 'db/sharded'],
  },
  {
    folder: 'db/sharded',
    question: 'What does only a store of several nodes (Citus) need?',
    imports: ['db'],
  },
  {
    folder: 'db/embedded',
    question: 'How does the bundled PostgreSQL run? It could be a separate package.',
    imports: [],
  },
  { folder: 'config', question: 'Which settings are there, and which budgets?', imports: ['model'] },
  {
    folder: 'observability',
    question: 'How are logs, metrics, traces and security events written?',
    imports: ['model', 'config', 'db'],
  },
  {
    folder: 'model',
    question: 'What do the terms mean: field kinds, access rules, problems, timestamps? No I/O.',
    imports: [],
  },
  {
    folder: 'cli',
    question: 'What happens on `npm start`? The only place that wires everything.',
    imports: 'everything',
  },
]

/** Each host and each feature is a unit that other units must not import, except for these features. */
const sharedFeatures: readonly string[] = ['features/changes']

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs', 'architecture.md')

/** The imports of each file, including type imports. Paths are relative to the root of the project. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

export function importGraph(folder: string): ImportGraph {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })
  return new Map(files.filter(isProgram).map((file) => [file, importsIn(file)]))
}

const isProgram = (path: string): boolean => !/\.test\.tsx?$|\/testing\//.test(path)

const importsIn = (file: string): readonly string[] =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*\.tsx?|#[^']*)'/g),
  ].map(([, path = '']) => normalize(aliases[path] ?? join(dirname(file), path)))

/** The package of the client is imported by a name, as in other programs. */
const { imports: aliases } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly imports: Readonly<Record<string, string>>
}
export const clientPackage = normalize(aliases['#tracker-client'] ?? '')

/** Returns a sentence for every import that the table does not allow. */
export function crossings(graph: ImportGraph, table: readonly Border[] = borders): readonly string[] {
  const unitOf = (file: string) => findUnit(table, file)
  return [...graph].flatMap(([file, imported]) => {
    const unit = unitOf(file)
    if (unit === undefined) return file.startsWith('src/cli') ? [] : [`${file} is in no folder of the table.`]
    const { border } = unit
    if (border.imports === 'everything') return []
    return imported.flatMap((other) => {
      const target = unitOf(other)
      const mayImport =
        target !== undefined &&
        (target.name === unit.name ||
          sharedFeatures.includes(target.name) ||
          (target.border !== border && border.imports.includes(target.border.folder)))
      return mayImport ? [] : [`${file} imports ${other}: ${border.folder}/ imports ${listOf(border)}.`]
    })
  })
}

const listOf = ({ imports }: Border): string =>
  imports === 'everything' ? 'everything' : imports.map((folder) => `${folder}/`).join(', ') || 'nothing'

/**
 * Returns the unit of a file. Each host and each feature is a unit, whether it is a folder or a file; other
 * units are the folders of the table.
 */
function findUnit(
  table: readonly Border[],
  file: string,
): { readonly name: string; readonly border: Border } | undefined {
  const border = table
    .filter(({ folder }) => file.startsWith(`src/${folder}/`))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0]
  if (border === undefined) return undefined
  const { folder } = border
  if (folder !== 'hosts' && folder !== 'features') return { name: folder, border }
  const [first = ''] = file.slice(`src/${folder}/`.length).split('/')
  return { name: `${folder}/${first.replace(/\.ts$/, '')}`, border }
}

/**
 * Returns a sentence for every import of the web client that is not allowed. Its folders may import only
 * those above them in the table of web/README.md, and screens must not import each other. From outside of
 * `web/src/`, they may import only the entry of the TypeScript client.
 */
export function clientCrossings(graph: ImportGraph): readonly string[] {
  const order = [
    ...readFileSync(join(root, 'web', 'README.md'), 'utf8').matchAll(/^\| `([\w-]+(?:\.tsx)?)\/?` \|/gm),
  ].map(([, name = '']) => name)
  const levelOf = (file: string) => order.indexOf(file.split('/')[2] ?? '')
  const folderOf = (file: string) =>
    file.startsWith('web/src/screens/') ? file.split('/')[3] : file.split('/')[2]
  return [...graph].flatMap(([file, imported]) =>
    imported
      .filter(
        (other) =>
          other !== clientPackage &&
          (!other.startsWith('web/src/') ||
            levelOf(other) < 0 ||
            levelOf(other) > levelOf(file) ||
            (levelOf(other) === levelOf(file) && folderOf(other) !== folderOf(file))),
      )
      .map((other) => `${file} imports ${other}, which is not above it in web/README.md.`),
  )
}

/** Returns every file that a file imports, directly or indirectly, and the file itself. */
export function reachOf(graph: ImportGraph, file: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(file)) return reached
  reached.add(file)
  for (const imported of graph.get(file) ?? []) reachOf(graph, imported, reached)
  return reached
}

/** Returns a path from a file back to itself, if there is one. */
export function findCycle(graph: ImportGraph): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const imported of graph.get(file) ?? []) {
      const cycle = visit(imported, [...path, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of graph.keys()) {
    const cycle = visit(file, [])
    if (cycle) return cycle
  }
  return undefined
}

/** Returns the table of docs/architecture.md. */
const bordersTable = (): string =>
  [
    '| Folder | The question it answers | May import |',
    '|---|---|---|',
    ...borders.map(
      (border) =>
        `| \`src/${border.folder}/\` | ${border.question} | ${listOf(border).replaceAll(/\/(?=,|$)/g, '')} |`,
    ),
  ].join('\n')

const tablePattern = /\| Folder \| The question it answers \| May import \|\n(?:\|.*\n)*/

/** Returns the page with the current table. */
export const withTable = (text: string): string => text.replace(tablePattern, () => `${bordersTable()}\n`)

if (import.meta.main) {
  if (process.argv.includes('--write')) writeFileSync(page, withTable(readFileSync(page, 'utf8')))
  const problems = [...crossings(importGraph('src')), ...clientCrossings(importGraph('web/src'))]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
