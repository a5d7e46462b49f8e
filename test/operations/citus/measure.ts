// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cpuSecondsOfServer } from '../../../bench/process-usage.ts'
import { openBudgets } from '../../../src/config/budgets.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { raw } from '../../../src/db/sql.ts'
import type { Context } from '../../../src/records/context.ts'
import { create } from '../../../src/records/create.ts'
import { get } from '../../../src/records/get.ts'
import { list } from '../../../src/records/list.ts'
import type { ListQuery } from '../../../src/records/list-query.ts'
import { assignment } from '../../../src/resources/assignment.ts'
import { appointment } from '../../../src/resources/assignment-records.ts'

/**
 * Measures the CPU time on each node that a member's reads and writes cost:
 *   node measure.ts TITLE FOLDER-OF-A-NODE…
 */
const [title = '', ...folders] = process.argv.slice(2)
const database = openDatabase({ url: process.env.DATABASE_URL ?? '', applicationName: 'measure' })
const context = { database, budgets: openBudgets() } as Context
const [person] = await database.query<{ id: string }>(
  raw(`select id from users where login = 'person1@example.com'`),
)
const caller = { id: person?.id ?? '', isAdministrator: false }
const projects = (
  await database.query<{ id: string }>(
    raw(`select project_id as id from user_projects where user_id = '${caller.id}'`),
  )
).map(({ id }) => id)
const ids = (
  await database.query<{ id: string }>(
    raw(`select id from assignments where project_id in ('${projects.join(`','`)}') and active limit 500`),
  )
).map(({ id }) => id)
const [sample] = await database.query<Record<string, unknown>>(
  raw(`select * from assignments where id = '${ids[0]}'`),
)

const query = (given: Partial<ListQuery>): ListQuery =>
  ({
    ids: undefined,
    search: undefined,
    idFilters: {},
    dateFrom: undefined,
    dateTo: undefined,
    state: 'active',
    pageNumber: 1,
    pageSize: 20,
    sortColumn: 'id',
    sortOrder: 'asc',
    ...given,
  }) as ListQuery
/** A prime spreads successive picks over the items. */
const pick = <Item>(items: readonly Item[], index: number) => items[(index * 7919) % items.length] as Item
const operations: Readonly<Record<string, (count: number) => Promise<unknown>>> = {
  get: (count) => get(context, assignment, caller, { id: pick(ids, count) }),
  'list of a project': (count) =>
    list(context, assignment, caller, query({ idFilters: { projectId: pick(projects, count) } })),
  'list of all my projects': () => list(context, assignment, caller, query({})),
  'search in all my projects': (count) =>
    list(context, assignment, caller, query({ search: `number ${count + 10000}` })),
  'create an assignment': () =>
    create(context, assignment, caller, {
      id: randomUUID(),
      name: 'Measured',
      startDate: '2026-01-01T00:00:00Z',
      endDate: '2026-01-02T00:00:00Z',
      amountHours: 1,
      projectId: sample?.project_id,
      workflowId: sample?.workflow_id,
      userId: sample?.user_id,
      assignmentTypeId: sample?.assignment_type_id,
    }),
  'create an appointment': (count) =>
    create(context, appointment, caller, {
      keepDate: '2026-01-01T00:00:00Z',
      amountHours: 1,
      assignmentId: pick(ids, count),
      userId: caller.id,
    }),
}

console.log(title)
for (const [name, operation] of Object.entries(operations)) {
  for (let count = 0; count < 30; count += 1) await operation(count).catch(() => undefined)
  const before = folders.map(processorMilliseconds)
  const took: number[] = []
  const endsAt = performance.now() + 8000
  let rejected = 0
  while (took.length < 300 && performance.now() < endsAt) {
    const startedAt = performance.now()
    await operation(took.length).catch(() => {
      rejected += 1
    })
    took.push(performance.now() - startedAt)
  }
  const cost = folders.map(
    (folder, index) => (processorMilliseconds(folder) - (before[index] ?? 0)) / took.length,
  )
  const median = took.sort((first, second) => first - second)[Math.floor(took.length / 2)] ?? 0
  console.log(
    `  ${name}: ${took.length} times, median ${median.toFixed(1)} ms; CPU: ${cost.map((milliseconds) => milliseconds.toFixed(2)).join(' + ')} ms${rejected > 0 ? `; ${rejected} rejected` : ''}`,
  )
}
await database.close()

/** Returns the CPU time of a PostgreSQL server and all its processes. */
function processorMilliseconds(folder: string): number {
  return cpuSecondsOfServer(Number(readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')[0])) * 1000
}
