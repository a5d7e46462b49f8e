import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConnections, preparedStatements } from '../../src/db/connections.ts'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { ConnectionLimits } from '../../src/db/pooled-connections.ts'
import { type Sql, sql } from '../../src/db/sql.ts'
import { list } from '../../src/records/list.ts'
import { parseListQuery } from '../../src/records/list-query.ts'
import { assignment } from '../../src/resources/assignment.ts'
import { postmasterOf } from '../child-process.ts'
import { cpuSecondsOfServer } from '../process-usage.ts'
import { seedStore } from '../rest/seed.ts'

const limits: ConnectionLimits = { statementMilliseconds: 30_000, parallel: false }
const concurrency = 16
const rounds = 5
const statementsPerRound = 3000

/**
 * Compares the cost of fast reads on one pipelined connection with their cost on four connections that run
 * one statement at a time.
 */
export async function runReadConnectionsBench(): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-reads-'))
  const store = await startEmbeddedStore({ dataDirectory })
  try {
    await migrate(store.url)
    const database = openDatabase({ url: store.url, applicationName: 'bench' })
    const { member, assignments } = await seedStore(database)
    let listing = sql``
    const recorder = {
      async query<Row>(statement: Sql): Promise<Row[]> {
        listing = statement
        return [{ id: null, totalCount: 0, lastChangeSecond: null } as Row]
      },
    }
    const caller = { id: member.id, isAdministrator: false }
    await list({ database } as never, assignment, caller as never, parseListQuery(assignment, {}), recorder)
    const get = sql`select * from assignments where id = ${String(assignments[0]?.id)}`
    await compare(store.url, postmasterOf(dataDirectory), { 'a row by its id': get, 'a list of 20': listing })
    await database.close()
  } finally {
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

async function compare(url: string, postmaster: number, statements: Readonly<Record<string, Sql>>) {
  const connections = createConnections({
    url,
    applicationName: 'bench',
    prepare: preparedStatements({ named: true }),
    connectMilliseconds: 10_000,
  })
  const pipelined = connections.openPipelined(limits)
  const pool = connections.openPool(4, limits)
  const ways = {
    'one pipelined': (statement: Sql) =>
      pipelined.use((client) => connections.run(client, statement, limits), performance.now() + 60_000),
    'four, a statement each': async (statement: Sql) => {
      const client = await pool.connect()
      await connections.run(client, statement, limits).finally(() => client.release())
    },
  }
  const table = []
  for (const [name, statement] of Object.entries(statements)) {
    const measured: Record<string, { client: number[]; store: number[] }> = {}
    for (const run of Object.values(ways)) await runMany(() => run(statement))
    for (let round = 0; round < rounds; round += 1) {
      for (const [way, run] of Object.entries(ways)) {
        const [startedClient, startedStore] = [process.cpuUsage(), cpuSecondsOfServer(postmaster)]
        await runMany(() => run(statement))
        const { user, system } = process.cpuUsage(startedClient)
        const figures = measured[way] ?? { client: [], store: [] }
        measured[way] = figures
        figures.client.push((user + system) / statementsPerRound)
        figures.store.push(((cpuSecondsOfServer(postmaster) - startedStore) * 1e6) / statementsPerRound)
      }
    }
    for (const [way, { client, store }] of Object.entries(measured))
      table.push({ what: name, connections: way, 'client µs': median(client), 'store µs': median(store) })
  }
  console.table(table)
  await Promise.all([pipelined.close(), pool.end()])
}

async function runMany(run: () => Promise<unknown>) {
  let remaining = statementsPerRound
  const worker = async () => {
    while (remaining > 0) {
      remaining -= 1
      await run()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

const median = (figures: number[]): number =>
  Math.round(figures.sort((first, second) => first - second)[Math.floor(figures.length / 2)] ?? 0)
