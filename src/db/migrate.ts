import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Database } from './database.ts'
import { sql, statementsOf } from './sql.ts'
import { storeTasks } from './stores.ts'

const folder = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Any constant will do, as long as every instance asks for the same lock. */
const migrationLock = 7_251_405_118

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
  /** It takes something away that earlier versions use: they refuse to start on it. */
  readonly contracts: boolean
}

/**
 * Brings the schema up to date and returns the names of what it applied. Instances that start together do so one after the other: the lock
 * belongs to the one transaction, so that a pooler which lends connections out by the transaction gives it back as well.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'migrate' })
  // A connection lost between two statements shows in the next one; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const all = await readMigrations()
    // A host whose role may only read finds out here that it has nothing to do.
    if (pendingOf(all, await readApplied(client)).length === 0) return []
    return await inTransaction(client, () => migrateWithin(client))
  } finally {
    await client.end()
  }
}

/** The same within a transaction of the caller's; `isWanted` keeps to the schema of an earlier version. */
export async function migrateWithin(
  client: pg.Client,
  isWanted: (name: string) => boolean = () => true,
): Promise<string[]> {
  await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
  await client.query(tableOfMigrations)
  const all = await readMigrations()
  const pending = pendingOf(all, await readApplied(client)).filter(({ name }) => isWanted(name))
  for (const migration of pending) await apply(client, migration)
  if (pending.length > 0) await storeTasks.completeSchema(client)
  return pending.map(({ name }) => name)
}

export type Applied = Pick<Migration, 'name' | 'checksum' | 'contracts'>

/** Refuses migrations that this version does not have, or has with another text. */
export async function requireKnown(applied: readonly Applied[]): Promise<void> {
  const all = await readMigrations()
  const unknown = applied.find(({ name }) => all.every((migration) => migration.name !== name))
  if (unknown) throw new Error(`It was made by a newer version (${unknown.name}): restore it with that one.`)
  pendingOf(all, applied)
}

/** Names of what a store still needs; throws when it belongs to another version. */
export async function readPending(client: pg.Client): Promise<readonly string[]> {
  return pendingOf(await readMigrations(), await readApplied(client)).map(({ name }) => name)
}

/** What `readyz` compares the store with. */
async function newestMigration(): Promise<string> {
  return (await readMigrations()).at(-1)?.name ?? ''
}

const tableOfMigrations = `
  create table if not exists migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
  );
  alter table migrations add column if not exists contracts boolean not null default false`

/** Nothing of a store without our schema. */
export async function readApplied(client: pg.Client): Promise<readonly Applied[]> {
  const { rows: tables } = await client.query(`select from pg_class where oid = to_regclass('migrations')`)
  if (tables.length === 0) return []
  // Stores of 0.1.0 have no column `contracts`.
  const { rows } = await client.query<Applied>(
    `select name, checksum, coalesce((to_jsonb(migrations) -> 'contracts')::boolean, false) as contracts from migrations`,
  )
  return rows
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${folder}${name}`, 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { name, text, checksum, contracts: text.startsWith('-- contracts') }
    }),
  )
}

function pendingOf(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  requireNotNewer(migrations, applied)
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

function requireNotNewer(migrations: readonly Migration[], applied: readonly Applied[]): void {
  const names = new Set(migrations.map(({ name }) => name))
  const beyond = applied.find(({ name, contracts }) => contracts && !names.has(name))
  if (beyond === undefined) return
  throw new Error(
    `A newer version has changed this store (${beyond.name}), and this version cannot work with it. ` +
      'Start the newer version, or restore a backup from before.',
  )
}

async function apply(client: pg.Client, { name, text, checksum, contracts }: Migration) {
  try {
    for (const statement of statementsOf(text)) await client.query(statement)
    await client.query('insert into migrations (name, checksum, contracts) values ($1, $2, $3)', [
      name,
      checksum,
      contracts,
    ])
  } catch (error) {
    throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

/** All of them or none: a start that is cut short leaves the schema of before. */
async function inTransaction<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Throws while the schema is older than this program; a newer one is fine, because migrations only add. */
async function requireCurrentSchema(database: Database): Promise<void> {
  const [newest] = await database.query<{ name: string | null }>(
    sql`select max(name) as name from migrations`,
  )
  const wanted = await newestMigration()
  if ((newest?.name ?? '') < wanted) throw new Error(`The schema is older than ${wanted}.`)
}

/** What every host on the store must have before it can work, for `/readyz`. */
export const storeReadiness = (database: Database) => [
  { name: 'database', check: () => database.query(sql`select 1`) },
  { name: 'schema', check: () => requireCurrentSchema(database) },
]
