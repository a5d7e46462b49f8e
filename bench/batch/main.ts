import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startTestIssuer } from '../../test/support/test-issuer.ts'
import { startHost } from '../child-process.ts'
import { seedStore } from '../rest/seed.ts'

const port = 5196
const rows = 1000
const rounds = 3

/**
 * Compares a thousand writes in separate requests with a thousand in one request: on the real host and store,
 * by an account that is an ordinary member.
 */
export async function runBatchBench(): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-batch-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  try {
    await migrate(store.url)
    const database = openDatabase({ url: store.url, applicationName: 'bench' })
    const { member, assignments } = await seedStore(database)
    const token = await issuer.signIn(database, member.id)
    const host = await startHost('rest', {
      DATABASE_URL: store.url,
      DATA_DIR: dataDirectory,
      REST_PORT: String(port),
      Jwt__Issuer: issuer.issuer,
    })
    try {
      await compare(token, assignments[0] ?? {})
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

type Values = Readonly<Record<string, unknown>>

async function compare(token: string, { id: _, ...values }: Values) {
  const call = caller(token)
  const table: object[] = []
  const single = (method: string) => async (bodies: readonly Values[], concurrency: number) => {
    const waiting = [...bodies]
    const worker = async () => {
      for (let body = waiting.pop(); body; body = waiting.pop()) await call(method, '/api/assignment', body)
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
  }
  const batch = (operation: string) => async (bodies: readonly Values[]) => {
    const items = bodies.map((body) => ({ operation, resource: 'assignment', body }))
    return (await call('POST', '/ext/batch', { items })).results as { id: string }[]
  }
  for (let round = 0; round < rounds; round += 1) {
    const newRows = Array.from({ length: rows }, (_, index) => ({ ...values, name: `Row ${index}` }))
    const times: Record<string, number> = {}
    times['create, one by one'] = await millisecondsOf(() => single('POST')(newRows, 1))
    times['create, 16 at once'] = await millisecondsOf(() => single('POST')(newRows, 16))
    let created: { id: string }[] = []
    times['create, batch'] = await millisecondsOf(async () => {
      created = await batch('create')(newRows)
    })
    const changed = created.map(({ id }, index) => ({ ...values, id, name: `Changed ${index}` }))
    times['update, one by one'] = await millisecondsOf(() => single('PATCH')(changed, 1))
    times['update, 16 at once'] = await millisecondsOf(() => single('PATCH')(changed, 16))
    times['update, batch'] = await millisecondsOf(() => batch('update')(changed))
    table.push(Object.fromEntries(Object.entries(times).map(([name, time]) => [name, Math.round(time)])))
  }
  console.table(table)
  console.log(`Milliseconds for ${rows} assignments.`)
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const caller = (token: string) => async (method: string, path: string, body: unknown) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const json = await answer.json()
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(json)}`)
  return json
}
