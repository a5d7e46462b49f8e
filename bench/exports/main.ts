import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { raw } from '../../src/db/sql.ts'
import { startTestIssuer } from '../../test/support/test-issuer.ts'
import { startHost } from '../child-process.ts'
import { numberOption } from '../options.ts'
import { seedStore } from '../rest/seed.ts'

const port = 5195

/**
 * Exports a list of a million rows: duration, memory of the host, and how long other requests wait meanwhile.
 */
export async function runExportsBench(args: readonly string[]): Promise<void> {
  const rows = numberOption(args, '--rows', 1_000_000)
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-exports-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  try {
    await migrate(store.url)
    const database = openDatabase({ url: store.url, applicationName: 'bench' })
    const { member } = await seedStore(database)
    const token = await issuer.signIn(database, member.id)
    await database.singleWrites.query(raw('drop index impediments_name_search'))
    for (let from = 0; from < rows; from += 100_000)
      await database.singleWrites.query(
        raw(`insert into impediments (id, name) select gen_random_uuid(), 'Impediment number ' || n
          from generate_series(${from + 1}, ${Math.min(rows, from + 100_000)}) n`),
      )
    const host = await startHost('rest', {
      DATABASE_URL: store.url,
      DATA_DIR: dataDirectory,
      REST_PORT: String(port),
      Jwt__Issuer: issuer.issuer,
    })
    try {
      const table = []
      for (const format of ['csv', 'jsonl']) table.push(await measure(token, format, host.pid ?? 0))
      console.table(table)
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

async function measure(token: string, format: string, pid: number) {
  const headers = { authorization: `Bearer ${token}` }
  const read = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
  for (let count = 0; count < 200; count += 1) await (await read('/api/projects')).text()
  const before = megabytes(pid, 'VmRSS')
  const startedAt = performance.now()
  const answer = await read(`/ext/export/impediments?format=${format}`)
  let [bytes, lines, isDone, longest] = [0, 0, false, 0]
  const readLists = async () => {
    while (!isDone) {
      const requestedAt = performance.now()
      await (await read('/api/projects')).text()
      longest = Math.max(longest, performance.now() - requestedAt)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const reading = readLists()
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) lines += 1
  }
  const seconds = (performance.now() - startedAt) / 1000
  isDone = true
  await reading
  return {
    format,
    lines,
    MB: Math.round(bytes / 1e6),
    seconds: seconds.toFixed(1),
    'RSS before': before,
    'RSS at most': megabytes(pid, 'VmHWM'),
    'longest list': `${Math.round(longest)} ms`,
  }
}

const megabytes = (pid: number, name: string): string => {
  const [, kibibytes] =
    new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return `${Math.round(Number(kibibytes) / 1024)} MB`
}
