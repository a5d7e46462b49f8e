import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startTestIssuer } from '../../test/support/test-issuer.ts'
import { firstLine, postmasterOf, startHost } from '../child-process.ts'
import { type LoadRequest, runLoad } from '../load.ts'
import { measureLoad, rounded } from '../measured.ts'
import { numberOption } from '../options.ts'
import { cpuSecondsOfServer, memoryMegabytesOf } from '../process-usage.ts'
import type { BareSqlTask } from './bare-sql.ts'
import { type Scenario, scenariosFor } from './scenarios.ts'
import { type SeededStore, seedStore } from './seed.ts'

const connections = 16
const port = 5199

/**
 * Measures each scenario on the real host, which has 10,000 assignments, and compares it with two floors that
 * are measured in the same run: an empty route, and the bare SQL. A scenario runs for `--seconds N`, its
 * floors for a shorter time.
 */
export async function runRestBench(args: readonly string[]): Promise<void> {
  const seconds = numberOption(args, '--seconds', 5)
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-rest-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  const children: ChildProcess[] = []
  try {
    await migrate(store.url)
    const database = openDatabase({ url: store.url, applicationName: 'bench' })
    const seeded = await seedStore(database)
    const token = await issuer.signIn(database, seeded.member.id)
    await database.close()
    const host = await startHost('rest', {
      DATABASE_URL: store.url,
      DATA_DIR: dataDirectory,
      REST_PORT: String(port),
      Jwt__Issuer: issuer.issuer,
    })
    children.push(host)
    const empty = await startEmptyHost()
    children.push(empty.process)
    const running = { process: host, port }
    const bench = {
      seconds,
      postmaster: postmasterOf(dataDirectory),
      host: running,
      empty,
      url: store.url,
      seeded,
    }
    const rows = [await measureEmpty(bench)]
    for (const scenario of scenariosFor(seeded, token)) rows.push(await measure(bench, scenario))
    console.table(rows.map(({ name, ...figures }) => ({ scenario: name, ...figures })))
    console.log(
      `${connections} connections, keep-alive, ${seconds} s for each scenario; CPU in milliseconds per request.`,
    )
    console.log(`Memory of the host after the run: ${memoryMegabytesOf(host)} MB.`)
  } finally {
    for (const child of children) child.kill()
    await issuer.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

interface Bench {
  readonly seconds: number
  readonly postmaster: number
  readonly host: Running
  readonly empty: Running
  readonly url: string
  readonly seeded: SeededStore
}

interface Running {
  readonly process: ChildProcess
  readonly port: number
}

async function measureEmpty({ seconds, empty, postmaster }: Bench) {
  const emptyRequest: LoadRequest = { method: 'GET', path: '/empty', headers: {} }
  return { name: 'empty route', ...(await measureRunning(empty, postmaster, seconds, () => emptyRequest)) }
}

const measureRunning = (
  { process: { pid = 0 }, port }: Running,
  postmaster: number,
  seconds: number,
  next: (count: number) => LoadRequest,
) => measureLoad({ pid, postmaster }, { port, connections, seconds, next })

/**
 * Measures the floors right before and right after the scenario, so that other work on the machine affects
 * all of them alike.
 */
async function measure(bench: Bench, { name, budgetMilliseconds, makeRequest }: Scenario) {
  const { seconds, host, postmaster, empty } = bench
  const emptyRequest: LoadRequest = { method: 'GET', path: '/empty', headers: {} }
  await runLoad({ port: host.port, connections, seconds: 1, next: makeRequest })
  const floor = await measureRunning(empty, postmaster, Math.min(seconds, 2), () => emptyRequest)
  const figures = await measureRunning(host, postmaster, seconds, makeRequest)
  const bare = name === 'mixed' ? undefined : await measureBareSql(bench, name)
  return {
    name,
    ...figures,
    ...(budgetMilliseconds !== undefined && { budget: budgetMilliseconds }),
    'x empty route': ratio(figures['host CPU'], floor['host CPU']),
    ...(bare && { 'SQL client CPU': bare.client, 'SQL server CPU': bare.server }),
    ...(bare && {
      'x SQL (host and server)': ratio(figures['host CPU'] + figures['store CPU'], bare.client + bare.server),
    }),
  }
}

async function measureBareSql(
  { seconds, url, seeded, postmaster }: Bench,
  scenario: BareSqlTask['scenario'],
) {
  const row = { ...seeded.assignments[0], ...(scenario === 'create' && { id: crypto.randomUUID() }) }
  const task: BareSqlTask = {
    url,
    scenario,
    memberId: seeded.member.id,
    row,
    ids: seeded.assignments.map(({ id }) => String(id)),
    seconds: Math.min(seconds, 3),
    concurrency: connections,
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-sql.ts'), JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // The child prints one line when it begins and one with its result. The iterator buffers, so neither is
  // lost.
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  const before = cpuSecondsOfServer(postmaster)
  const { rounds, milliseconds } = JSON.parse((await lines.next()).value ?? '')
  const server = cpuSecondsOfServer(postmaster) - before
  child.stdin.end()
  return { client: rounded(milliseconds / rounds), server: rounded((server * 1000) / rounds) }
}

async function startEmptyHost(): Promise<Running> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'empty-host.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { process: child, port: Number(await firstLine(child)) }
}

const ratio = (figure: number, floor: number): number => Math.round((figure / floor) * 100) / 100
