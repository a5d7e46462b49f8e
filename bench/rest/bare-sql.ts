import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { openBudgets } from '../../src/config/budgets.ts'
import { type Database, openDatabase, type Queries } from '../../src/db/database.ts'
import { render, type Sql } from '../../src/db/sql.ts'
import type { Caller } from '../../src/model/caller.ts'
import type { Context } from '../../src/records/context.ts'
import { create } from '../../src/records/create.ts'
import { get } from '../../src/records/get.ts'
import { list } from '../../src/records/list.ts'
import { parseListQuery } from '../../src/records/list-query.ts'
import { update } from '../../src/records/update.ts'
import { assignment } from '../../src/resources/assignment.ts'

// Measures the minimum cost of a scenario: records the statements that `create`, `get`, `list` or `update` sends,
// and then repeats them with the driver alone, in a separate process. Prints a line when it begins, and then
// its number of rounds and their cost. Ends when its input ends.

export interface BareSqlTask {
  readonly url: string
  readonly scenario: 'get' | 'list 20' | 'create' | 'update'
  readonly memberId: string
  readonly row: Readonly<Record<string, unknown>>
  /** The ids of rows that are read or changed in turn; each new row gets a new id. */
  readonly ids: readonly string[]
  readonly seconds: number
  readonly concurrency: number
}

const task: BareSqlTask = JSON.parse(process.argv[2] ?? '{}')
const { url, scenario, seconds, concurrency } = task
const recorded = await record(task)
const isWrite = scenario === 'create' || scenario === 'update'
// Like a host, uses one pipelined connection for reads, and several with one statement at a time for writes.
const clients = Array.from(
  { length: isWrite ? 12 : 1 },
  // The types of the driver do not know `pipeline`.
  () => new pg.Client({ connectionString: url, ...{ pipeline: true } }),
)
await Promise.all(clients.map((client) => client.connect()))
console.log('It begins.')
const begun = process.cpuUsage()
const endsAt = performance.now() + seconds * 1000
let rounds = 0
const workers = isWrite ? clients : Array.from({ length: concurrency }, () => clients[0] as pg.Client)
await Promise.all(
  workers.map(async (client) => {
    while (performance.now() < endsAt) {
      await round(client)
      rounds += 1
    }
  }),
)
const { user, system } = process.cpuUsage(begun)
console.log(JSON.stringify({ rounds, milliseconds: (user + system) / 1000 }))
// The parent process reads the CPU time of the store's processes before they end with their connections.
await once(process.stdin.resume(), 'end')
await Promise.all(clients.map((client) => client.end()))

async function round(client: pg.Client) {
  const id = scenario === 'create' ? randomUUID() : task.ids[(rounds * 7919) % task.ids.length]
  for (const [index, { text, values }] of recorded.entries()) {
    const parameters = values.map((value) => (value === task.row.id ? id : value))
    await client.query({ name: `s${index}`, text, values: parameters })
  }
}

async function record({ url, scenario, memberId, row }: BareSqlTask) {
  const statements: { text: string; values: unknown[] }[] = []
  const recordQueries = (queries: Queries): Queries => ({
    query(statement: Sql) {
      statements.push(render(statement))
      return queries.query(statement)
    },
  })
  const database = openDatabase({ url, applicationName: 'bench' })
  const recordLists = (listReads: Database['listReads']): Database['listReads'] => ({
    query(statement, account) {
      statements.push(render(statement))
      return listReads.query(statement, account)
    },
  })
  const recording: Database = {
    ...database,
    ...recordQueries(database),
    singleWrites: recordQueries(database.singleWrites),
    listReads: recordLists(database.listReads),
    standbyListReads: recordLists(database.standbyListReads),
    transaction: (work) => database.transaction((transaction) => work(recordQueries(transaction))),
  }
  const context: Context = {
    database: recording,
    passwords: undefined as never,
    administrators: undefined as never,
    budgets: openBudgets(),
  }
  const caller: Caller = { id: memberId, isAdministrator: false }
  const verbs: Readonly<Record<BareSqlTask['scenario'], () => Promise<unknown>>> = {
    get: () => get(context, assignment, caller, { id: row.id }),
    'list 20': () =>
      list(
        context,
        assignment,
        caller,
        parseListQuery(assignment, { pageSize: '20', projectId: row.projectId }),
      ),
    create: () => create(context, assignment, caller, row),
    update: () => update(context, assignment, caller, row),
  }
  await verbs[scenario]()
  await database.close()
  if (statements.length === 0)
    throw new Error(`The verb ${scenario} sent no statement that could be recorded.`)
  return statements
}
