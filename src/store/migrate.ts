import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const folder = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Any constant will do, as long as every instance asks for the same lock. */
const migrationLock = 7_251_405_118

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
}

/**
 * Brings the schema up to date and returns the names of what it applied, all of it or nothing. Instances starting together
 * take turns: the lock ends with the transaction, so it holds behind poolers that share connections too.
 */
export async function migrate(url: string): Promise<string[]> {
  const migrations = await readMigrations()
  const client = new pg.Client({ connectionString: url, application_name: 'migrate' })
  // A connection lost between two statements shows in the next one; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
    await client.query(
      'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<Applied>('select name, checksum from migrations')
    const pending = pendingOf(migrations, rows)
    for (const migration of pending) await apply(client, migration)
    await client.query('commit')
    return pending.map(({ name }) => name)
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    await client.end()
  }
}

/** What `readyz` compares the store with. */
export async function newestMigration(): Promise<string> {
  return (await readMigrations()).at(-1)?.name ?? ''
}

type Applied = Pick<Migration, 'name' | 'checksum'>

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${folder}${name}`, 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

function pendingOf(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  return migrations.filter(({ name, checksum }) => {
    const known = applied.find((candidate) => candidate.name === name)
    if (known && known.checksum !== checksum) {
      throw new Error(
        `The migration ${name} was applied with another text. Never change one; add the next number.`,
      )
    }
    return !known
  })
}

async function apply(client: pg.Client, { name, text, checksum }: Migration) {
  try {
    await client.query(text)
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
  } catch (error) {
    throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}
