// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { changesSince, currentSnapshot } from '../../../src/db/change-log.ts'
import { openDatabase } from '../../../src/db/database.ts'

/**
 * Stops the process of a worker while a transaction is committed on the coordinator, but not yet on the
 * worker. Readers of changes must not be notified before the row can be read.
 */
const url = process.env.DATABASE_URL ?? ''
const open = async (address: string) => {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  return client
}
const coordinatorUrl = new URL(url)
const writer = await open(url)
const reader = await open(url)
const database = openDatabase({ url, applicationName: 'late-node' })
const value = async <Value>(client: pg.Client, statement: string, values: unknown[] = []): Promise<Value> =>
  (await client.query<{ value: Value }>(statement, values)).rows[0]?.value as Value

const id = randomUUID()
for (const statement of [
  `insert into organizations (id, name) values ('${id}', 'Organization')`,
  `insert into projects (id, key, name, organization_id) values ('${id}', 'LATE', 'Project', '${id}')`,
  `insert into workflows (id, name, "order") values ('${id}', 'Stage', 1)`,
  `insert into assignment_types (id, name) values ('${id}', 'Type')`,
  `insert into users (id, name, login, password_hash) values ('${id}', 'Person', '${id}', '!')`,
  `insert into assignments
     (id, number, rank, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
   values ('${id}', 1, 'V', 'before', now(), now(), 1, '${id}', '${id}', '${id}', '${id}')`,
])
  await writer.query(statement)

const snapshot = await currentSnapshot(database)
await writer.query('set synchronous_commit = on')
await writer.query('begin')
await writer.query('delete from two_phase_commits where id = 0')
await writer.query(`update assignments set name = 'after' where id = $1`, [id])
const transaction = await value<string>(
  writer,
  `insert into changes (resource, row_id, action) values ('assignment', $1, 'update') returning transaction::text as value`,
  [id],
)
// After the worker has prepared the transaction, the coordinator waits for a standby that does not exist.
await reader.query(`alter system set synchronous_standby_names = 'nobody'`)
await reader.query('select pg_reload_conf()')
await sleep(500)
const pid = await value<number>(writer, 'select pg_backend_pid() as value')
const committed = writer.query('commit')
await until(
  async () =>
    (await value(reader, 'select wait_event as value from pg_stat_activity where pid = $1', [pid])) ===
    'SyncRep',
)
const stopped = await backendsOf(pid)
for (const pid of stopped) process.kill(pid, 'SIGSTOP')
try {
  await reader.query('alter system reset synchronous_standby_names')
  await reader.query('select pg_reload_conf()')
  await until(() =>
    value(reader, 'select pg_visible_in_snapshot($1, pg_current_snapshot()) as value', [transaction]),
  )
  const isVisible = await value(reader, 'select pg_visible_in_snapshot($1, settled_snapshot()) as value', [
    transaction,
  ])
  assert.equal(isVisible, false, 'The change is reported before it is committed on all nodes.')
  assert.deepEqual((await changesSince(database, snapshot)).resources, [])
  assert.equal(await value(reader, 'select name as value from assignments where id = $1', [id]), 'before')
} finally {
  for (const pid of stopped) process.kill(pid, 'SIGCONT')
}
await committed
assert.deepEqual((await changesSince(database, snapshot)).resources, ['assignment'])
assert.equal(await value(reader, 'select name as value from assignments where id = $1', [id]), 'after')
await Promise.all([writer.end(), reader.end(), database.close()])
console.log('A change that is not yet committed on a worker is not reported; afterwards it is reported once.')

/** Returns the processes on the workers that serve this process of the coordinator. */
async function backendsOf(coordinatorPid: number): Promise<number[]> {
  const { rows } = await reader.query<{ address: string }>(
    `select format('postgresql://%s:%s', nodename, nodeport) as address from pg_dist_node where groupid > 0`,
  )
  const found: number[] = []
  for (const { address } of rows) {
    const { hostname, port } = new URL(address)
    const worker = await open(Object.assign(new URL(coordinatorUrl), { hostname, port }).href)
    const { rows: backends } = await worker.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name like 'citus_internal gpid=%' || $1`,
      [String(coordinatorPid).padStart(10, '0')],
    )
    found.push(...backends.map((backend) => backend.pid))
    await worker.end()
  }
  return found
}

async function until(isTrue: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await isTrue()) return
    await sleep(50)
  }
  throw new Error('The condition did not become true.')
}
