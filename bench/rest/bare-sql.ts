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

/**
 * The floor of a scenario, as a process of its own: the statements that the verb sends, recorded once and
 * then repeated through the driver alone. Prints a line when it begins, and how many rounds it made at which
 * cost; ends when its input does.
 */
export interface BareSqlTask {
  readonly url: string
  readonly scenario: 'get' | 'list 20' | 'create' | 'update'
  readonly memberId: string
  readonly row: Readonly<Record<string, unknown>>
  /** Of rows that are asked for or changed in turn; a new row gets an id of its own. */
  readonly ids: readonly string[]
  readonly seconds: number
  readonly atOnce: number
}

const task: BareSqlTask = JSON.parse(process.argv[2] ?? '{}')
const { url, scenario, seconds, atOnce } = task
const recorded = await record(task)
const isWrite = scenario === 'create' || scenario === 'update'
// As the store does: one pipelined connection for reads, several for writes, each of which is one statement.
const clients = Array.from(
  { length: isWrite ? 12 : 1 },
  () => new pg.Client({ connectionString: url, ...{ pipeline: true } }),
)
await Promise.all(clients.map((client) => client.connect()))
console.log('It begins.')
const begun = process.cpuUsage()
const endsAt = performance.now() + seconds * 1000
let rounds = 0
const workers = isWrite ? clients : Array.from({ length: atOnce }, () => clients[0] as pg.Client)
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
// What the store's processes used is read before they end with their connections.
await once(process.stdin.resume(), 'end')
await Promise.all(clients.map((client) => client.end()))

async function round(client: pg.Client) {
  const id = scenario === 'create' ? randomUUID() : task.ids[(rounds * 7919) % task.ids.length]
  for (const [index, { text, values }] of recorded.entries()) {
    const own = values.map((value) => (value === task.row.id ? id : value))
    await client.query({ name: `s${index}`, text, values: own })
  }
}

async function record({ url, scenario, memberId, row }: BareSqlTask) {
  const statements: { text: string; values: unknown[] }[] = []
  const record = (queries: Queries): Queries => ({
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
    ...record(database),
    singleWrites: record(database.singleWrites),
    listReads: recordLists(database.listReads),
    listReadsAnywhere: recordLists(database.listReadsAnywhere),
    transaction: (work) => database.transaction((transaction) => work(record(transaction))),
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
