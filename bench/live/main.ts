import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { raw } from '../../src/db/sql.ts'
import { startTestIssuer, type TestIssuer } from '../../test/support/test-issuer.ts'
import { postmasterOf, startHost } from '../child-process.ts'
import { numberOption } from '../options.ts'
import { cpuSecondsOf, cpuSecondsOfServer, exactCpuSecondsOf } from '../process-usage.ts'
import { seedStore } from '../rest/seed.ts'

const port = 5196
const thisTree = join(import.meta.dirname, '..', '..')
const secondsEach = 10
const streamsOfAccount = 20
/**
 * The time that a change gets to reach all streams. The cost of an idle period of this length is subtracted.
 */
const changeMilliseconds = 1500
const [firstChanges, laterChanges] = [10, 11]

interface Setting {
  readonly database: Database
  readonly postmaster: number
  readonly environment: Readonly<Record<string, string>>
  /** One token per account; `projects` has the projects of each, in the same order. */
  readonly tokens: readonly string[]
  readonly projects: readonly (readonly string[])[]
  readonly writer: string
  readonly assignment: Readonly<Record<string, unknown>>
  /** The number of streams that get a change. */
  readonly listeners: number
  /** The number of streams that are only open. */
  readonly crowd: number
}

/**
 * Measures the cost of live listings for host and store: many different ones with one write per second, many
 * idle streams, and one change for many listeners. `--compare <folder>` also measures the host of another
 * working copy, in turns; `--rounds`, `--listeners` and `--crowd` take numbers.
 */
export async function runLiveBench(args: readonly string[]): Promise<void> {
  const compared = args[args.indexOf('--compare') + 1]
  const trees = [...(args.includes('--compare') && compared ? [resolve(compared)] : []), thisTree]
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-live-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  try {
    await migrate(store.url)
    const database = openDatabase({ url: store.url, applicationName: 'bench' })
    const setting = await seed(database, issuer, {
      postmaster: postmasterOf(dataDirectory),
      listeners: numberOption(args, '--listeners', 1000),
      crowd: numberOption(args, '--crowd', 4000),
      environment: {
        DATABASE_URL: store.url,
        DATA_DIR: dataDirectory,
        REST_PORT: String(port),
        WEBHOOKS: 'off',
        Jwt__Issuer: issuer.issuer,
      },
    })
    const table = []
    for (let round = 1; round <= numberOption(args, '--rounds', 2); round += 1)
      for (const tree of trees) table.push({ round, tree, ...(await measure(tree, setting)) })
    console.table(table)
    await database.close()
  } finally {
    await issuer.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

async function seed(
  database: Database,
  issuer: TestIssuer,
  options: Pick<Setting, 'postmaster' | 'environment' | 'listeners' | 'crowd'>,
): Promise<Setting> {
  const { member, assignments } = await seedStore(database)
  await database.query(
    raw(`insert into users (id, name, login, password_hash)
      select gen_random_uuid(), 'Reader ' || n, 'reader' || n || '@example.com', '!' from generate_series(1, 200) n`),
  )
  const accounts = await database.query<{ id: string }>(
    raw("select id from users where login like 'person%' or login like 'reader%' order by login limit 260"),
  )
  const tokens = await Promise.all(accounts.map(({ id }) => issuer.signIn(database, id)))
  const links = await database.query<{ account: string; project: string }>(
    raw('select user_id as account, project_id as project from user_projects order by project_id'),
  )
  const projects = accounts.map(({ id }) =>
    links.filter(({ account }) => account === id).map(({ project }) => project),
  )
  const [assignment = {}] = assignments
  return {
    ...options,
    database,
    tokens,
    projects,
    writer: await issuer.signIn(database, member.id),
    assignment,
  }
}

async function measure(tree: string, setting: Setting) {
  const host = await startHost('rest', setting.environment, tree)
  const cost = createMeter(host.pid ?? 0, setting.postmaster)
  try {
    await writeEachSecond(setting, 3)
    const writes = await cost(() => writeEachSecond(setting, secondsEach))
    const different = await openAll(
      setting.projects.slice(0, 25).flatMap((projects, index) =>
        projects.slice(0, 10).map((id) => ({
          path: `/api/assignments?projectId=${id}`,
          token: setting.tokens[index] ?? '',
        })),
      ),
    )
    const rest = await cost(() => sleep(secondsEach * 1000))
    const both = await cost(() => writeEachSecond(setting, secondsEach))
    different.close()
    const many = await openAll(shared(setting, setting.listeners, '/api/workflows'))
    await sleep(3000)
    const changes = await costOfChanges(setting, host.pid ?? 0, firstChanges + laterChanges)
    many.close()
    const crowd = await openAll(shared(setting, setting.crowd, '/api/workflows'))
    await sleep(5000)
    const crowdAtRest = await cost(() => sleep(10_000))
    crowd.close()
    const percent = (used: number, seconds: number) => `${((100 * used) / seconds).toFixed(2)} %`
    return {
      'writes alone': percent(writes, secondsEach),
      '250 listings at rest': percent(rest, secondsEach),
      // Only what the listings add to the writes alone.
      'and a write a second': percent(both - writes, secondsEach),
      // The first changes are more expensive, because opening the streams has left garbage and uncompiled
      // code.
      [`one change to ${setting.listeners} listeners`]: `${medianOf(changes.slice(firstChanges)).toFixed(1)} ms`,
      [`mean of the first ${firstChanges}`]: `${meanOf(changes.slice(0, firstChanges)).toFixed(1)} ms`,
      [`${setting.crowd} streams at rest`]: percent(crowdAtRest, 10),
      'open of them': crowd.opened(),
    }
  } finally {
    host.kill()
    await sleep(1000)
  }
}

const shared = ({ tokens }: Setting, count: number, path: string) =>
  Array.from({ length: count }, (_, index) => ({
    path,
    token: tokens[Math.floor(index / streamsOfAccount)] ?? '',
  }))

/** Returns the CPU time of the host for each change, in milliseconds. */
async function costOfChanges(setting: Setting, pid: number, count: number): Promise<number[]> {
  const costs: number[] = []
  for (let changes = 0; changes < count; changes += 1) {
    const before = exactCpuSecondsOf(pid)
    await change(setting)
    await sleep(changeMilliseconds)
    const reported = exactCpuSecondsOf(pid)
    await sleep(changeMilliseconds)
    costs.push(1000 * (reported - before - (exactCpuSecondsOf(pid) - reported)))
  }
  return costs
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Returns a function that returns the CPU seconds that host and store use during the work. */
function createMeter(pid: number, postmaster: number) {
  const cpuSeconds = () => cpuSecondsOf(pid) + cpuSecondsOfServer(postmaster)
  return async (work: () => Promise<unknown>): Promise<number> => {
    const before = cpuSeconds()
    await work()
    return cpuSeconds() - before
  }
}

async function writeEachSecond({ assignment, writer }: Setting, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/api/assignment`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...assignment, name: `Written at ${Date.now()}` }),
    })
    if (!response.ok) throw new Error(await response.text())
    await sleep(1000)
  }
}

/** Writes as another process would, so that the write itself costs the host nothing. */
const change = ({ database }: Setting) =>
  database.transaction((transaction) =>
    transaction.query(
      raw(`with written as (update workflows set name = 'Stage ' || random() where "order" = 1 returning id)
        insert into changes (resource, row_id, action) select 'workflow', id, 'update' from written`),
    ),
  )

const openedAtOnce = 50

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })

async function openAll(streams: readonly { readonly path: string; readonly token: string }[]) {
  const requests: ClientRequest[] = []
  let opened = 0
  const open = ({ path, token }: (typeof streams)[number]) =>
    new Promise<void>((done) => {
      const sent = request(`http://127.0.0.1:${port}${path}`, {
        agent,
        headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
      })
      sent.on('error', () => done())
      sent.on('response', (response) => {
        if (response.statusCode === 200) opened += 1
        response.on('error', () => undefined).resume()
        done()
      })
      requests.push(sent)
      sent.end()
    })
  for (let from = 0; from < streams.length; from += openedAtOnce)
    await Promise.all(streams.slice(from, from + openedAtOnce).map(open))
  return {
    opened: () => opened,
    close() {
      for (const sent of requests) sent.destroy()
    },
  }
}
