import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { addressOf } from './fresh-database.ts'

/** A connection of its own, for transactions that stay open as long as the test wants. */
export async function connectDirectly(database: Database): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: addressOf(database), application_name: 'outside' })
  // The database may be dropped before the client is gone.
  client.on('error', () => undefined)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** Returns once as many connections of the client's database wait for a lock. */
export async function untilWaiting(client: pg.Client, waiting = 1): Promise<void> {
  for (let waits = 0; waits < 400; waits += 1) {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rowCount === waiting) return
    await sleep(10)
  }
  assert.fail('No connection waits for a lock.')
}

/** What another program writes: a row, and its line in `changes`, in whatever transaction the client is. */
export async function insertNamed(client: pg.Client, resource: 'organization' | 'impediment', name: string) {
  await client.query(
    `with made as (insert into ${resource}s (id, name) values (gen_random_uuid(), $1) returning id)
     insert into changes (resource, row_id, action) select '${resource}', id, 'create' from made`,
    [name],
  )
}
