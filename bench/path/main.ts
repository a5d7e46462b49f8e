import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRest } from '../../src/cli/hosts.ts'
import { createSharedStore } from '../../src/cli/shared-store.ts'
import { readSettings } from '../../src/config/settings.ts'
import { readStoreSettings } from '../../src/config/store-settings.ts'
import { openDatabase } from '../../src/db/database.ts'
import { newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import { readRestSettings } from '../../src/hosts/rest/configuration.ts'
import { insertAccount } from '../../test/support/insert-account.ts'
import { startTestIssuer } from '../../test/support/test-issuer.ts'

const port = 5197
/** After these requests, caches are filled and statements are prepared on every connection. */
const warmUpRequests = 60
/** The number of measured requests. The shortest path counts, because timers may run during a request. */
const measurements = 9

/**
 * Counts the functions of src that a warm `POST /api/project` runs, by V8's precise coverage. `--list` names
 * them.
 */
export async function runPathBench(args: readonly string[]): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-path-'))
  const issuer = await startTestIssuer()
  const stops: (() => Promise<void>)[] = [
    async () => rmSync(dataDirectory, { recursive: true, force: true }),
    async () => void (await issuer.stop()),
  ]
  const environment = {
    DATA_DIR: dataDirectory,
    REST_PORT: String(port),
    Jwt__Issuer: issuer.issuer,
    RateLimit__Rest__PermitLimit: '0',
    LOG_LEVEL: 'warn',
  }
  try {
    const store = createSharedStore(readSettings(environment, readStoreSettings), {
      stops,
      onStateChange: console.error,
    })
    const host = await startRest(readSettings(environment, readRestSettings), store)
    stops.push(host.stop)
    const database = openDatabase({ ...(await store.address()), applicationName: 'bench' })
    stops.push(() => database.close())
    const member = await insertAccount(database)
    const organizationId = newId()
    await database.query(sql`insert into organizations (id, name) values (${organizationId}, 'Path')`)
    const token = await issuer.signIn(database, member.id)
    const post = () => postProject(token, organizationId)
    for (let requests = 0; requests < warmUpRequests; requests += 1) await post()
    const paths = await recordPaths(post)
    const [path = []] = paths.sort((a, b) => a.length - b.length)
    const files = new Set(path.map(({ file }) => file))
    console.log(`A warm POST /api/project runs ${path.length} functions of ours in ${files.size} files.`)
    if (args.includes('--list')) for (const { file, name } of path) console.log(`${file} ${name}`)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

async function postProject(token: string, organizationId: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/project`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: randomUUID(), name: 'Path', organizationId }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

interface ExecutedFunction {
  readonly file: string
  readonly name: string
}

async function recordPaths(post: () => Promise<void>): Promise<ExecutedFunction[][]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const paths: ExecutedFunction[][] = []
  for (let count = 0; count < measurements; count += 1) {
    await sleep(50)
    await session.post('Profiler.takePreciseCoverage')
    await post()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    paths.push(result.flatMap(({ url, functions }) => executedIn(url, functions)))
  }
  session.disconnect()
  return paths
}

interface FunctionCoverage {
  readonly functionName: string
  readonly ranges: readonly { readonly count: number; readonly startOffset: number }[]
}

/** V8 counts a module's body as an unnamed function at its beginning. */
function executedIn(url: string, functions: readonly FunctionCoverage[]): ExecutedFunction[] {
  const [, file] = /\/(src\/.*\.ts)$/.exec(url) ?? []
  if (file === undefined) return []
  return functions.flatMap(({ functionName, ranges: [range] }) =>
    range === undefined || range.count === 0 || range.startOffset === 0
      ? []
      : [{ file, name: functionName || `at ${range.startOffset}` }],
  )
}
