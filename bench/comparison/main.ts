import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { type EmbeddedStore, startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { startTestIssuer, type TestIssuer } from '../../test/support/test-issuer.ts'
import { firstLine, postmasterOf } from '../child-process.ts'
import { type Figures, measureToTheEnd, rounded } from '../measured.ts'
import {
  fillOwnDatabase,
  type OwnData,
  requestMakersOf,
  type System,
  startOwnHost,
  type Verb,
  verbs,
} from './own.ts'
import { startVikunja } from './vikunja.ts'

const connections = 16
/** An additional round comes first, to warm up. */
const defaultRounds = 5
/** The requests per round, the same for each system, so that all have the same number of rows. */
const requestsOf: Readonly<Record<Verb, number>> = { get: 4000, 'list 20': 3000, update: 1500, create: 1500 }

/**
 * Compares the REST host with others, each with the same number of rows in a separate database of one server:
 * a host that answers the same requests and checks nothing; Vikunja, if the folder of a built one is passed;
 * and with `--copy <folder>` the host of another working copy. `--rounds N` sets the number of rounds.
 */
export async function runComparisonBench(args: readonly string[]): Promise<void> {
  const optionOf = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
  const rounds = Number(optionOf('--rounds')) || defaultRounds
  const folder = args[0]?.startsWith('--') ? undefined : args[0]
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-comparison-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  const systems: System[] = []
  try {
    await startAll(systems, { store, dataDirectory, issuer, folder, copy: optionOf('--copy') })
    for (const verb of verbs)
      await measure(systems, verb, { rounds, postmaster: postmasterOf(dataDirectory) })
  } finally {
    for (const { stop } of systems) stop()
    await issuer.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

interface StartOptions {
  readonly store: EmbeddedStore
  readonly dataDirectory: string
  readonly issuer: TestIssuer
  readonly folder: string | undefined
  readonly copy: string | undefined
}

/** Starts each system on a separate database of the server. */
async function startAll(systems: System[], { store, folder, copy, ...shared }: StartOptions) {
  const urlOf = (name: string) => store.url.replace('/tracker?', `/${name}?`)
  const data = await fillOwnDatabase(store.url, shared.issuer)
  await run(urlOf('postgres'), 'create database lean template tracker')
  if (copy !== undefined) await run(urlOf('postgres'), 'create database copy template tracker')
  const options = { ...shared, data }
  systems.push(await startOwnHost({ ...options, name: 'ours', url: store.url, port: 5199 }))
  if (copy !== undefined)
    systems.push(
      await startOwnHost({ ...options, name: copy, url: urlOf('copy'), port: 5197, tree: resolve(copy) }),
    )
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
  return {
    name: 'one statement, nothing checked',
    pid: child.pid ?? 0,
    port,
    makeRequest: requestMakersOf(data),
    stop,
  }
}

/**
 * Measures the systems in turns, in reverse order every second round, so that other work disturbs them
 * equally.
 */
async function measure(
  systems: readonly System[],
  verb: Verb,
  { rounds, postmaster }: { readonly rounds: number; readonly postmaster: number },
) {
  const figuresOf = new Map<System, Figures[]>(systems.map((system) => [system, []]))
  for (let round = 0; round <= rounds; round += 1)
    for (const system of round % 2 ? systems.toReversed() : systems) {
      const { pid, port, makeRequest } = system
      const load = { port, connections, requests: requestsOf[verb], next: makeRequest[verb] }
      const figures = await measureToTheEnd({ pid, postmaster }, load)
      if (round > 0) figuresOf.get(system)?.push(figures)
    }
  const [ours = Number.NaN] = [...figuresOf.values()].map(totalCpuOf)
  console.table(
    [...figuresOf].map(([{ name }, figures]) => ({
      [verb]: name,
      ...mediansOf(figures),
      together: rounded(totalCpuOf(figures)),
      '÷ ours': Math.round((totalCpuOf(figures) / ours) * 100) / 100,
    })),
  )
}

const totalCpuOf = (figures: readonly Figures[]): number =>
  medianOf(figures.map((each) => each['host CPU'] + each['store CPU']))

function mediansOf(figures: readonly Figures[]) {
  const [first] = figures
  const names = Object.keys(first ?? {}) as (keyof Figures)[]
  return Object.fromEntries(names.map((name) => [name, medianOf(figures.map((each) => each[name]))]))
}

const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
