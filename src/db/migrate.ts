import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { withClient } from './connections.ts'
import type { Database } from './database.ts'
import { splitStatements, sql } from './sql.ts'
import { storeTasks } from './stores.ts'

const directory = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Any constant will do, as long as every instance uses the same one. */
const migrationLock = 7_251_405_118

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
  /**
   * True if the migration removes something that earlier versions use (the second half of expand and
   * contract). Earlier versions then cannot use the schema.
   */
  readonly contracts: boolean
}

/**
 * Brings the schema up to date and returns the names of the applied migrations. All migrations run in one
 * transaction that holds a lock, so instances that start together run one after the other.
 */
export const migrate = (url: string): Promise<string[]> =>
  withClient(url, 'migrate', async (client) => {
    await requireSuitableServer(client)
    const all = await readMigrations()
    // This check lets a host whose role may only read start on a schema that is up to date.
    if (findPending(all, await readApplied(client)).length === 0) return []
    return inTransaction(client, () => migrateWithin(client))
  })

/** Migrates within the caller's transaction; `isWanted` can select the schema of an earlier version. */
export async function migrateWithin(
  client: pg.Client,
  isWanted: (name: string) => boolean = () => true,
): Promise<string[]> {
  await client.query('select pg_advisory_xact_lock($1)', [migrationLock])
  await client.query(createMigrationsTable)
  const all = await readMigrations()
  const pending = findPending(all, await readApplied(client)).filter(({ name }) => isWanted(name))
  for (const migration of pending) await apply(client, migration)
  if (pending.length > 0) await storeTasks.completeSchema(client)
  return pending.map(({ name }) => name)
}

export type AppliedMigration = Pick<Migration, 'name' | 'checksum' | 'contracts'>

/** Throws if this version does not know a migration of a backup, or has it with a different text. */
export async function requireKnown(applied: readonly AppliedMigration[]): Promise<void> {
  const all = await readMigrations()
  const unknown = applied.find(({ name }) => all.every((migration) => migration.name !== name))
  if (unknown)
    throw new Error(`It was made by a newer version (${unknown.name}). Restore it with that version.`)
  requireSameTexts(all, applied)
}

/** Returns the names of the pending migrations. Throws if this version cannot work with the store. */
export async function pendingAfter(applied: readonly AppliedMigration[]): Promise<readonly string[]> {
  return findPending(await readMigrations(), applied).map(({ name }) => name)
}

/** Returns the name of the newest migration, with which `readyz` compares the store. */
export async function newestMigration(): Promise<string> {
  return (await readMigrations()).at(-1)?.name ?? ''
}

const createMigrationsTable = `
  create table if not exists migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
  );
  alter table migrations add column if not exists contracts boolean not null default false`

/** Returns the applied migrations, or none for a store without the schema. */
export async function readApplied(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows: tables } = await client.query(`select from pg_class where oid = to_regclass('migrations')`)
  if (tables.length === 0) return []
  // Stores of 0.1.0 have no column `contracts`.
  const { rows } = await client.query<AppliedMigration>(
    `select name, checksum, coalesce((to_jsonb(migrations) -> 'contracts')::boolean, false) as contracts from migrations`,
  )
  return rows
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(`${directory}${name}`, 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { name, text, checksum, contracts: text.startsWith('-- contracts') }
    }),
  )
}

function findPending(migrations: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  requireNotNewer(migrations, applied)
  requireSameTexts(migrations, applied)
  const appliedNames = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !appliedNames.has(name))
}

function requireSameTexts(migrations: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const changed = migrations.find(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum)
  if (changed === undefined) return
  throw new Error(
    `The migration ${changed.name} was applied with another text. Never change a migration; add a new one.`,
  )
}

function requireNotNewer(migrations: readonly Migration[], applied: readonly AppliedMigration[]): void {
  const names = new Set(migrations.map(({ name }) => name))
  const newer = applied.find(({ name, contracts }) => contracts && !names.has(name))
  if (newer === undefined) return
  throw new Error(
    `A newer version has changed this store (${newer.name}), and this version cannot work with it. ` +
      'Start the newer version, or restore a backup from before.',
  )
}

async function apply(client: pg.Client, { name, text, checksum, contracts }: Migration) {
  try {
    for (const statement of splitStatements(text)) await client.query(statement)
    await client.query('insert into migrations (name, checksum, contracts) values ($1, $2, $3)', [
      name,
      checksum,
      contracts,
    ])
  } catch (error) {
    throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

/** Applies all migrations or none, so an interrupted start leaves the old schema. */
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

/** Throws if the schema is older than this program. A newer schema is accepted: migrations usually only add. */
async function requireCurrentSchema(database: Database): Promise<void> {
  const [newest] = await database.query<{ name: string | null }>(
    sql`select max(name) as name from migrations`,
  )
  const newestName = await newestMigration()
  if ((newest?.name ?? '') < newestName) throw new Error(`The schema is older than ${newestName}.`)
}

/** The requirements of every host on the store, for `/readyz`. */
export const storeReadiness = (database: Database) => [
  { name: 'database', check: () => database.query(sql`select 1`) },
  { name: 'schema', check: () => requireCurrentSchema(database) },
]

interface ServerFacts {
  readonly version: string
  /** The version as a number that can be compared: 150004 is 15.4. */
  readonly versionNumber: number
  /** The encoding of the database. It may differ from the default of the server. */
  readonly encoding: string
}

export async function readServerFacts(client: pg.ClientBase): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(
    `select current_setting('server_version') as version,
       current_setting('server_version_num')::int as "versionNumber", current_setting('server_encoding') as encoding`,
  )
  return rows[0] as ServerFacts
}

/** The oldest release that supports all statements of this program. The tests also run against it. */
const oldestVersion = 15

/** Returns why this server cannot hold a store and what to do, or undefined if it can. */
export function explainUnsuitable({ version, versionNumber, encoding }: ServerFacts): string | undefined {
  if (versionNumber < oldestVersion * 10_000)
    return `The database server is PostgreSQL ${version}. Use ${oldestVersion} or newer.`
  // Other encodings cannot store every character, and count and sort texts differently.
  if (encoding !== 'UTF8')
    return `The encoding of the database is ${encoding}. Create the database with: create database … encoding 'UTF8' template template0.`
  return undefined
}

/** Throws if the server cannot hold a store. Called before anything is written to it. */
async function requireSuitableServer(client: pg.ClientBase): Promise<void> {
  const problem = explainUnsuitable(await readServerFacts(client))
  if (problem !== undefined) throw new Error(problem)
}
