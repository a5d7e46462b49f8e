import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { type EmbeddedStore, startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { startTestIssuer, type TestIssuer } from '../../test/support/test-issuer.ts'
import { firstLine, postmasterOf } from '../child-process.ts'
import { type Figures, measureToTheEnd, rounded } from '../measured.ts'
import { fillOwn, type OwnData, type System, shotsOf, startOwn, type Verb, verbs } from './own.ts'
import { startVikunja } from './vikunja.ts'

const connections = 16
/** After one that warms up. */
const roundsByDefault = 5
/** As many for each system, so that all have the same rows. */
const requestsOf: Readonly<Record<Verb, number>> = { get: 4000, 'list 20': 3000, update: 1500, create: 1500 }

/**
 * Our host compared with others, each with the same number of rows in a database of its own in one server:
 * one that answers the same requests and checks nothing, with the folder of a built Vikunja that one too, and
 * with `--copy <folder>` the host of another working copy. `--rounds N`.
 */
export async function runComparisonBench(words: readonly string[]): Promise<void> {
  const word = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
  const rounds = Number(word('--rounds')) || roundsByDefault
  const folder = words[0]?.startsWith('--') ? undefined : words[0]
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-comparison-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  const systems: System[] = []
  try {
    await startAll(systems, { store, dataDirectory, issuer, folder, copy: word('--copy') })
    for (const verb of verbs)
      await measure(systems, verb, { rounds, postmaster: postmasterOf(dataDirectory) })
  } finally {
    for (const { stop } of systems) stop()
    await issuer.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

interface Wanted {
  readonly store: EmbeddedStore
  readonly dataDirectory: string
  readonly issuer: TestIssuer
  readonly folder: string | undefined
  readonly copy: string | undefined
}

/** Each in a database of its own in the one server. */
async function startAll(systems: System[], { store, folder, copy, ...shared }: Wanted) {
  const urlOf = (name: string) => store.url.replace('/tracker?', `/${name}?`)
  const data = await fillOwn(store.url, shared.issuer)
  await run(urlOf('postgres'), 'create database lean template tracker')
  if (copy !== undefined) await run(urlOf('postgres'), 'create database copy template tracker')
  const own = { ...shared, data }
  systems.push(await startOwn({ ...own, name: 'ours', url: store.url, port: 5199 }))
  if (copy !== undefined)
    systems.push(await startOwn({ ...own, name: copy, url: urlOf('copy'), port: 5197, tree: resolve(copy) }))
  systems.push(await startLean(urlOf('lean'), data))
  if (folder === undefined) return
  await run(urlOf('postgres'), 'create database vikunja')
  systems.push(await startVikunja(folder, urlOf('vikunja')))
  await run(urlOf('vikunja'), 'vacuum analyze')
}

async function run(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

async function startLean(url: string, data: OwnData): Promise<System> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'lean-host.ts'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Number(await firstLine(child))
  const stop = () => void child.kill()
  return { name: 'one statement, nothing checked', pid: child.pid ?? 0, port, shots: shotsOf(data), stop }
}

/** Alternating, in reverse order every second round, so that other work on the machine disturbs them equally. */
async function measure(
  systems: readonly System[],
  verb: Verb,
  { rounds, postmaster }: { readonly rounds: number; readonly postmaster: number },
) {
  const found = new Map<System, Figures[]>(systems.map((system) => [system, []]))
  for (let round = 0; round <= rounds; round += 1)
    for (const system of round % 2 ? systems.toReversed() : systems) {
      const { pid, port, shots } = system
      const load = { port, connections, requests: requestsOf[verb], next: shots[verb] }
      const figures = await measureToTheEnd({ pid, postmaster }, load)
      if (round > 0) found.get(system)?.push(figures)
    }
  const [own = Number.NaN] = [...found.values()].map(togetherOf)
  console.table(
    [...found].map(([{ name }, figures]) => ({
      [verb]: name,
      ...mediansOf(figures),
      together: rounded(togetherOf(figures)),
      '÷ ours': Math.round((togetherOf(figures) / own) * 100) / 100,
    })),
  )
}

const togetherOf = (figures: readonly Figures[]): number =>
  middleOf(figures.map((each) => each['host CPU'] + each['store CPU']))

function mediansOf(figures: readonly Figures[]) {
  const [first] = figures
  const names = Object.keys(first ?? {}) as (keyof Figures)[]
  return Object.fromEntries(names.map((name) => [name, middleOf(figures.map((each) => each[name]))]))
}

const middleOf = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN
