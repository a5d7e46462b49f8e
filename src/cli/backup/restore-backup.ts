import pg from 'pg'
import { migrateWithin, requireKnown } from '../../db/migrate.ts'
import { type BackupEnd, type BackupHead, formatOfBackups, type Part, readArchive } from './archive.ts'
import { copyIn, type Partition, readStoredTables, type Sequence, type StoredTable } from './copy.ts'
import { quoted } from './write-backup.ts'

/** Reads the whole file, and returns its first and last record. */
export async function checkBackup(file: string): Promise<CheckedBackup> {
  const values: unknown[] = []
  for await (const part of readArchive(file)) if (part.kind === 'json') values.push(part.value)
  const [head, end] = [values[0] as BackupHead | undefined, values.at(-1) as BackupEnd | undefined]
  if (head?.format !== formatOfBackups || end?.rows === undefined)
    throw new Error(`${file} is not a backup that this version can read.`)
  await requireKnown(head.migrations)
  return { head, end }
}

interface CheckedBackup {
  readonly head: BackupHead
  readonly end: BackupEnd
}

/** Restores everything in one transaction, into an empty store. The files of the data folder are written before the end. */
export async function restoreBackup(
  url: string,
  file: string,
  { head, end }: CheckedBackup,
  writeSecrets: () => Promise<void> = async () => undefined,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'restore' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('begin')
    await client.query(
      `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local statement_timeout = 0`,
    )
    await requireEmpty(client)
    const before = new Set(head.migrations.map(({ name }) => name))
    await migrateWithin(client, (name) => before.has(name))
    await prepareTables(client, head.tables)
    const parts = readArchive(file)
    const load = () => loadTables(client, parts, head.tables, end.rows)
    await loadNumbered(client, load).finally(() => parts.return(undefined))
    await goOnCounting(client, end.sequences)
    await migrateWithin(client)
    await settleRestored(client)
    await writeSecrets()
    await client.query('commit')
    await client.query('analyze')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const found = await readStoredTables(client)
  if (found.length === 0) return
  throw new Error(
    `This store already has tables (${found[0]?.name}, …), and nothing is overwritten. Restore into an empty database, or set DATA_DIR to a new folder.`,
  )
}

/**
 * Rows created by migrations are deleted, because the backup contains them too; partitions are created as
 * they were.
 */
async function prepareTables(client: pg.Client, tables: readonly StoredTable[]): Promise<void> {
  const made = new Set((await readStoredTables(client)).map(({ name }) => name))
  const missing = tables.filter(({ name }) => !made.has(name))
  if (missing.length > 0 || made.size !== tables.length)
    throw new Error('The tables of the backup differ from those of its schema version.')
  await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
  for (const { name, partitions } of tables)
    for (const one of partitions) await makePartition(client, name, one)
}

/** Transaction ids are not in the backup: all rows get the id of this transaction. */
async function loadNumbered(client: pg.Client, load: () => Promise<void>): Promise<void> {
  const columns = await transactionColumns(client)
  const alter = async (action: string) => {
    for (const { table, column } of columns)
      await client.query(`alter table ${quoted(table)} alter column ${pg.escapeIdentifier(column)} ${action}`)
  }
  await alter('set default pg_current_xact_id()')
  await load()
  await alter('drop default')
}

async function makePartition(client: pg.Client, table: string, { name, bound }: Partition): Promise<void> {
  if (!/^(DEFAULT|FOR VALUES FROM \('[-+:. \d]+'\) TO \('[-+:. \d]+'\))$/.test(bound))
    throw new Error(`The backup has a partition ${name} of an unknown kind.`)
  await client.query(`create table if not exists ${quoted(name)} partition of ${quoted(table)} ${bound}`)
}

async function transactionColumns(client: pg.Client) {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select n.nspname || '.' || c.relname as table, attname as column
    from pg_attribute join pg_class as c on c.oid = attrelid join pg_namespace as n on n.oid = relnamespace
    where nspname = 'public' and relkind in ('r', 'p') and not relispartition and attnum > 0
      and atttypid = 'xid8'::regtype and not atthasdef`)
  return rows
}

async function loadTables(
  client: pg.Client,
  parts: AsyncGenerator<Part>,
  tables: readonly StoredTable[],
  wanted: Readonly<Record<string, number>>,
): Promise<void> {
  let next: IteratorResult<Part> = await parts.next()
  const advance = async () => {
    next = await parts.next()
  }
  async function* pieces() {
    for (; !next.done && next.value.kind === 'data'; await advance()) yield next.value.piece
  }
  await advance()
  for (const { name, columns } of tables) {
    const found =
      next.done || next.value.kind !== 'json' ? undefined : (next.value.value as { table?: string })
    if (found?.table !== name) throw new Error(`The backup has no rows of ${name}.`)
    await advance()
    const list = columns.map(pg.escapeIdentifier).join(', ')
    const rows = await copyIn(client, `copy ${quoted(name)} (${list}) from stdin`, pieces())
    if (rows !== wanted[name]) throw new Error(`${name} has ${rows} rows instead of ${wanted[name]}.`)
  }
  // The checksum is at the end.
  while (!next.done) await advance()
}

async function goOnCounting(client: pg.Client, sequences: readonly Sequence[]): Promise<void> {
  for (const { table, column, next } of sequences)
    await client.query('select setval(pg_get_serial_sequence($1, $2), $3, false)', [
      quoted(table),
      column,
      next,
    ])
}

/**
 * Makes a restored store usable, within one transaction. Three things have changed: another server counts transactions from its
 * own number, and rows with future numbers would count as new in every live listing, over and over; cursors of the feed may name
 * changes that never happened here; and sessions that ended after the backup, or tokens that were used up, would be valid again.
 */
export async function settleRestored(client: pg.Client): Promise<void> {
  await client.query(
    `update changes set transaction = pg_current_xact_id() where transaction > pg_current_xact_id()`,
  )
  await client.query(
    `update history set transaction = pg_current_xact_id() where transaction > pg_current_xact_id()`,
  )
  // Both tables get the same timestamp.
  const { rows } = await client.query<{ moment: string }>('select clock_timestamp()::text as moment')
  const timestamp = [rows[0]?.moment]
  await client.query(
    'update history_begin set restored_at = $1, restored_in = pg_current_xact_id()',
    timestamp,
  )
  // Webhooks become due at once and continue with new changes: their position is as outdated as any other
  // cursor.
  await client.query(`update webhooks set since = '1:1:'`)
  await client.query('update signin_sessions set ended_at = $1 where ended_at is null', timestamp)
}
