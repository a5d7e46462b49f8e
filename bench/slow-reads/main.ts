import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { raw } from '../../src/db/sql.ts'
import { startTestIssuer, type TestIssuer } from '../../test/support/test-issuer.ts'
import { startHost } from '../child-process.ts'
import { percentile } from '../load.ts'
import { numberOption } from '../options.ts'
import { type SeededStore, seedStore } from '../rest/seed.ts'

const port = 5198
const searches = 120
const liveListings = 250
const measuredSeconds = 8

/**
 * Measures how long one person waits while others request slow lists, on the real host with 60,000
 * assignments that have descriptions of 2,000 characters. `--rows N` sets another number of assignments.
 */
export async function runSlowReadsBench(args: readonly string[]): Promise<void> {
  const rows = numberOption(args, '--rows', 60_000)
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-slow-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  try {
    await migrate(store.url)
    const database = openDatabase({ url: store.url, applicationName: 'bench' })
    const seeded = await seedStore(database)
    await addLongAssignments(database, rows)
    const accounts = await signInAll(database, issuer, seeded)
    const host = await startHost('rest', {
      DATABASE_URL: store.url,
      DATA_DIR: dataDirectory,
      REST_PORT: String(port),
      Jwt__Issuer: issuer.issuer,
    })
    try {
      await compare(seeded, accounts)
    } finally {
      host.kill()
    }
    await database.close()
  } finally {
    await issuer.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

interface Accounts {
  readonly reader: string
  /** Ordinary members, each in ten projects. */
  readonly otherTokens: readonly string[]
}

async function compare(seeded: SeededStore, accounts: Accounts) {
  const reader = readerOf(seeded, accounts)
  await reader.measure(2)
  const table = [{ while: 'nothing else', ...(await reader.measure(4)) }]
  const stopSearches = startSearches(accounts.otherTokens[0] ?? '')
  await sleep(1000)
  table.push({ while: `${searches} searches of one account`, ...(await reader.measure(measuredSeconds)) })
  stopSearches()
  await sleep(6000)
  const { open, stop } = await startLiveListings(accounts, seeded)
  table.push({ while: `${open} live listings, a write a second`, ...(await reader.measure(measuredSeconds)) })
  stop()
  console.table(table)
  console.log(
    'Milliseconds that a plain member waits for GET /api/projects (list) and for one assignment by its id (get).',
  )
}

function readerOf({ assignments }: SeededStore, { reader }: Accounts) {
  const id = String(assignments[0]?.id)
  const paths = { list: '/api/projects', get: `/api/assignment?id=${id}` }
  return {
    /** Reads one page after the other, like a person who clicks. */
    async measure(seconds: number) {
      const times: Record<keyof typeof paths, number[]> = { list: [], get: [] }
      const endsAt = Date.now() + seconds * 1000
      while (Date.now() < endsAt) {
        for (const kind of ['list', 'get'] as const) {
          const startedAt = performance.now()
          const status = await sendRequest({
            path: paths[kind],
            token: reader,
            signal: AbortSignal.timeout(40_000),
          })
          times[kind].push(performance.now() - startedAt)
          if (status !== 200) throw new Error(`${paths[kind]} answered ${status}.`)
        }
        await sleep(20)
      }
      const figures = Object.entries(times).flatMap(([kind, measured]) => {
        measured.sort((first, second) => first - second)
        return [
          [`${kind} p50`, rounded(percentile(measured, 0.5))],
          [`${kind} max`, rounded(measured.at(-1) ?? 0)],
        ]
      })
      return Object.fromEntries(figures)
    },
  }
}

/** Letters that no long assignment contains. */
const absentLetters = 'cijkpqvxyz'

/**
 * Returns one of 260 searches for two letters. Two letters have no trigram, so no index helps. They match no
 * long assignment, so all visible texts are read.
 */
function slowSearch(index: number): string {
  const first = String.fromCharCode(97 + (index % 26))
  return `${first}${absentLetters[Math.floor(index / 26) % absentLetters.length]}`
}

function startSearches(token: string): () => void {
  let isDone = false
  const controller = new AbortController()
  const answers: Record<number, number> = {}
  const worker = async (count: number) => {
    for (let round = 0; !isDone; round += 1) {
      const status = await sendRequest({
        path: `/api/assignments?search=${slowSearch(count + round)}&sortColumn=name`,
        token,
        signal: controller.signal,
      }).catch(() => 0)
      answers[status] = (answers[status] ?? 0) + 1
      if (status !== 200) await sleep(200)
    }
  }
  for (let count = 0; count < searches; count += 1) void worker(count)
  return () => {
    isDone = true
    console.log('Answers to the searches by status:', answers)
    controller.abort()
  }
}

async function startLiveListings({ reader, otherTokens }: Accounts, { assignments }: SeededStore) {
  const controller = new AbortController()
  let open = 0
  await Promise.all(
    Array.from({ length: liveListings }, async (_, index) => {
      const token = otherTokens[index % otherTokens.length] ?? ''
      const path = `/api/assignments?search=${slowSearch(index)}&sortColumn=name`
      const status = await listenTo(path, token, controller.signal)
      if (status === 200) open += 1
    }),
  )
  const row = assignments[0] ?? {}
  let isDone = false
  const write = async () => {
    for (let count = 0; !isDone; count += 1) {
      await sendRequest({
        method: 'PATCH',
        path: '/api/assignment',
        token: reader,
        body: JSON.stringify({ ...row, name: `Changed ${count}` }),
      }).catch(() => 0)
      await sleep(1000)
    }
  }
  void write()
  return {
    open,
    stop: () => {
      isDone = true
      controller.abort()
    },
  }
}

async function addLongAssignments(database: Database, rows: number) {
  console.log(`Adding ${rows} long assignments …`)
  const perStatement = 5000
  for (let from = 0; from < rows; from += perStatement) {
    await database.transaction((transaction) =>
      transaction.query(
        raw(`
      insert into assignments (id, name, description, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
      select gen_random_uuid(), 'Long ' || n, left(repeat('What has to be done for number ' || n || ' and all the others. ', 50), 2000),
        now(), now(), 1, (array(select id from projects order by id))[1 + n % 200], (select id from workflows limit 1),
        (select id from users limit 1), (select id from assignment_types limit 1)
      from generate_series(${from + 1}, ${Math.min(rows, from + perStatement)}) n`),
      ),
    )
  }
  await database.query(raw('vacuum analyze assignments'))
}

async function signInAll(database: Database, issuer: TestIssuer, { member }: SeededStore): Promise<Accounts> {
  const people = await database.query<{ id: string }>(
    raw(`select id from users where id <> '${member.id}' order by login limit 14`),
  )
  const reader = await issuer.signIn(database, member.id)
  const otherTokens = await Promise.all(people.map(({ id }) => issuer.signIn(database, id)))
  return { reader, otherTokens }
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

interface SendOptions {
  readonly path: string
  readonly token: string
  readonly method?: string
  readonly body?: string
  readonly signal?: AbortSignal
}

function sendRequest({ path, token, method = 'GET', body, signal }: SendOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers,
        ...(signal && { signal }),
      },
      (response) => {
        response.on('end', () => resolve(response.statusCode ?? 0)).on('error', reject)
        response.resume()
      },
    )
    sent.on('error', reject).end(body)
  })
}

/** Resolves with the status when the response begins, and then reads the stream until it is aborted. */
function listenTo(path: string, token: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        path,
        signal,
        headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      },
      (response) => {
        response.on('error', () => undefined).resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', () => resolve(0)).end()
  })
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const rounded = (number: number): number => Math.round(number * 10) / 10
