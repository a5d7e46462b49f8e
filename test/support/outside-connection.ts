import pg from 'pg'
import type { Database } from '../../src/store/database.ts'
import { sql } from '../../src/store/sql.ts'

/** Where a database of the tests can be reached by someone who is not the host: another process, or a bare client. */
export async function addressOf(database: Database): Promise<string> {
  const [at] = await database.query<{ name: string; user: string; folder: string; port: string }>(sql`
    select current_database() as name, current_user as user,
      current_setting('unix_socket_directories') as folder, current_setting('port') as port`)
  if (!at) throw new Error('The database did not say where it is.')
  const given = process.env.TEST_DATABASE_URL
  if (given) return given.replace(/^(\w+:\/\/[^/?]*)(\/[^?]*)?/, `$1/${at.name}`)
  return `postgresql://${at.user}@/${at.name}?host=${encodeURIComponent(at.folder.replaceAll('"', ''))}&port=${at.port}`
}

/** A connection of its own, for transactions that stay open as long as the test wants. */
export async function connectOutside(database: Database): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await addressOf(database), application_name: 'outside' })
  // The database may be dropped before the client is gone.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** What another program writes: a row, and its line in `changes`, in whatever transaction the client is. */
export async function insertNamed(client: pg.Client, resource: 'organization' | 'impediment', name: string) {
  await client.query(
    `with made as (insert into ${resource}s (id, name) values (gen_random_uuid(), $1) returning id)
     insert into changes (resource, row_id, action) select '${resource}', id, 'create' from made`,
    [name],
  )
}
