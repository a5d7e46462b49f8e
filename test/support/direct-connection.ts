import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { addressOf } from './fresh-database.ts'

/** Opens a separate connection, for transactions that the test keeps open. */
export async function connectDirectly(database: Database): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: addressOf(database), application_name: 'outside' })
  // The database may be dropped before the client disconnects.
  client.on('error', () => undefined)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** Waits until `count` connections of the client's database wait for a lock. */
export async function untilWaiting(client: pg.Client, count = 1): Promise<void> {
  for (let waits = 0; waits < 400; waits += 1) {
    // In the transaction of the client, the view would not show connections that are opened after the first look.
    await client.query('select pg_stat_clear_snapshot()')
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rowCount === count) return
    await sleep(10)
  }
  assert.fail(`There are not ${count} connections that wait for a lock.`)
}

/** Inserts a row and its entry in `changes`, as another program would, in the current transaction. */
export async function insertNamed(client: pg.Client, resource: 'organization' | 'impediment', name: string) {
  await client.query(
    `with inserted as (insert into ${resource}s (id, name) values (gen_random_uuid(), $1) returning id)
     insert into changes (resource, row_id, action) select '${resource}', id, 'create' from inserted`,
    [name],
  )
}
