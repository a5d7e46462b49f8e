import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { addressOf } from './fresh-database.ts'
import { until } from './until.ts'

/** Opens a separate connection, for transactions that the test keeps open. */
export async function connectDirectly(database: Database): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: addressOf(database), application_name: 'outside' })
  // The database may be dropped before the client disconnects.
  client.on('error', () => undefined)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** Waits until at least `count` connections of the client's database wait for a lock. */
export async function untilWaiting(client: pg.Client, count = 1): Promise<void> {
  await until(async () => {
    // In the transaction of the client, the view would not show connections that are opened after the first look.
    await client.query('select pg_stat_clear_snapshot()')
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return (rowCount ?? 0) >= count
  }, `${count} connections that wait for a lock`)
}

/** Inserts a row and its entry in `changes`, as another program would, in the current transaction. */
export async function insertNamed(client: pg.Client, resource: 'organization' | 'impediment', name: string) {
  await client.query(
    `with inserted as (insert into ${resource}s (id, name) values (gen_random_uuid(), $1) returning id)
     insert into changes (resource, row_id, action) select '${resource}', id, 'create' from inserted`,
    [name],
  )
}
