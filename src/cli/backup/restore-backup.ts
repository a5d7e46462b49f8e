import pg from 'pg'
import { firstSnapshot } from '../../db/change-log.ts'
import { migrateWithin, requireKnown } from '../../db/migrate.ts'
import {
  type BackupEnd,
  type BackupFile,
  type BackupHead,
  backupFormat,
  type Part,
  readArchive,
} from './archive.ts'
import {
  copyIn,
  type Partition,
  quoteName,
  readStoredTables,
  type Sequence,
  type StoredTable,
} from './copy.ts'
import { type FileTarget, parseFileHeader } from './files.ts'

/** Reads the whole file to verify its checksum, and returns its first and last JSON record. */
export async function checkBackup(backup: BackupFile): Promise<CheckedBackup> {
  let first: unknown
  let last: unknown
  for await (const part of readArchive(backup)) {
    if (part.kind !== 'json') continue
    first ??= part.value
    last = part.value
  }
  const head = first as BackupHead | undefined
  const end = last as BackupEnd | undefined
  if (head?.format !== backupFormat || end?.rows === undefined)
    throw new Error(`${backup.file} is not a backup that this version can read.`)
  await requireKnown(head.migrations)
  return { head, end }
}

export interface CheckedBackup {
  readonly head: BackupHead
  readonly end: BackupEnd
}

interface RestoreOptions {
  /** Called just before the commit, so that a failed restore leaves no secrets behind. */
  readonly writeSecrets?: () => Promise<void>
  /** Receives the files of attachments. If the restore fails, they are kept, but no row refers to them. */
  readonly files?: FileTarget
}

/** Restores everything into an empty store, in one transaction. */
export async function restoreBackup(
  url: string,
  backup: BackupFile,
  { head, end }: CheckedBackup,
  { writeSecrets, files }: RestoreOptions = {},
): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'restore' })
  // A lost connection also rejects the query in progress, so it is reported there.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('begin')
    await client.query(`set local timezone = 'UTC'; set local datestyle = 'ISO'`)
    await requireEmpty(client)
    const backedUp = new Set(head.migrations.map(({ name }) => name))
    // The rows fit only the schema from which they were read. The remaining migrations then change them, too.
    await migrateWithin(client, (name) => backedUp.has(name))
    await prepareTables(client, head.tables)
    const parts = readArchive(backup)
    const load = () => loadTables(client, parts, head.tables, { end, files })
    await withDefaultTransactionIds(client, load).finally(() => parts.return(undefined))
    await restoreSequences(client, end.sequences)
    await migrateWithin(client)
    await adjustRestoredStore(client)
    await writeSecrets?.()
    await client.query('commit')
    await analyze(client)
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A failure is only a warning, because the restore is committed. PostgreSQL analyzes the tables later. */
async function analyze(client: pg.Client): Promise<void> {
  await client.query('analyze').catch(({ message }: Error) => {
    console.warn(
      `Everything was restored, but the tables could not be analyzed (${message}). Run ANALYZE, or queries may be slow for a while.`,
    )
  })
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const existing = await readStoredTables(client)
  if (existing.length === 0) return
  throw new Error(
    `This store already has tables (${existing[0]?.name}, …), and nothing is overwritten. Restore into an empty database, or set DATA_DIR to a new directory.`,
  )
}

/**
 * Prepares the migrated tables for the rows of the backup. Rows that migrations have inserted are deleted,
 * because the backup contains them. Missing partitions are created.
 */
async function prepareTables(client: pg.Client, tables: readonly StoredTable[]): Promise<void> {
  const existing = new Set((await readStoredTables(client)).map(({ name }) => name))
  const missing = tables.filter(({ name }) => !existing.has(name))
  if (missing.length > 0 || existing.size !== tables.length)
    throw new Error('The tables of the backup differ from those of its schema version.')
  await client.query(`truncate ${tables.map(({ name }) => quoteName(name)).join(', ')}`)
  for (const { name, partitions } of tables)
    for (const partition of partitions) await createPartition(client, name, partition)
}

/** While `load` runs, columns of transaction ids default to this transaction: backups have none. */
async function withDefaultTransactionIds(client: pg.Client, load: () => Promise<void>): Promise<void> {
  const columns = await readTransactionIdColumns(client)
  const alter = async (action: string) => {
    for (const { table, column } of columns)
      await client.query(
        `alter table ${quoteName(table)} alter column ${pg.escapeIdentifier(column)} ${action}`,
      )
  }
  await alter('set default pg_current_xact_id()')
  await load()
  await alter('drop default')
}

async function createPartition(client: pg.Client, table: string, { name, bound }: Partition): Promise<void> {
  // The bound becomes part of a statement, so only the forms that this program creates are accepted.
  if (!/^(DEFAULT|FOR VALUES FROM \('[-+:. \d]+'\) TO \('[-+:. \d]+'\))$/.test(bound))
    throw new Error(`The backup has a partition ${name} of an unknown kind.`)
  await client.query(
    `create table if not exists ${quoteName(name)} partition of ${quoteName(table)} ${bound}`,
  )
}

/** Returns the columns of transaction ids that have no default. */
async function readTransactionIdColumns(client: pg.Client) {
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
  { end, files }: { readonly end: BackupEnd; readonly files: FileTarget | undefined },
): Promise<void> {
  const reader = createPartReader(parts)
  const { takeRecord, takePieces } = reader
  // `checkBackup` has read the head.
  await takeRecord()
  for (const { name, columns } of tables) {
    const header = (await takeRecord()) as { readonly table?: string } | undefined
    if (header?.table !== name) throw new Error(`The backup has no rows of ${name}.`)
    const list = columns.map(pg.escapeIdentifier).join(', ')
    const rows = await copyIn(client, `copy ${quoteName(name)} (${list}) from stdin`, takePieces())
    if (rows !== end.rows[name]) throw new Error(`${name} has ${rows} rows instead of ${end.rows[name]}.`)
  }
  await loadFiles(reader, files)
}

/** Reads the backup to its end, where the checksum is. Without a target, the files are skipped. */
async function loadFiles(
  { takeRecord, takePieces }: ReturnType<typeof createPartReader>,
  files: FileTarget | undefined,
): Promise<void> {
  for (;;) {
    const record = await takeRecord()
    if (record === undefined) return
    const header = parseFileHeader(record)
    if (header && files) await files.put(header.file, header.size, takePieces())
    else for await (const _ of takePieces());
  }
}

/** Distinguishes JSON records from data, by looking one part ahead. */
function createPartReader(parts: AsyncGenerator<Part>) {
  let next: Promise<IteratorResult<Part>> | undefined
  const peek = () => {
    next ??= parts.next()
    return next
  }
  const dropPeeked = () => {
    next = undefined
  }
  return {
    /** Returns the next JSON record, or undefined at the end, or if the next part is data. */
    async takeRecord(): Promise<unknown> {
      const { value, done } = await peek()
      if (done || value.kind !== 'json') return undefined
      dropPeeked()
      return value.value
    },
    /** Yields the data up to the next JSON record. */
    async *takePieces(): AsyncGenerator<Buffer, void> {
      for (;;) {
        const { value, done } = await peek()
        if (done || value.kind !== 'data') return
        dropPeeked()
        yield value.piece
      }
    },
  }
}

async function restoreSequences(client: pg.Client, sequences: readonly Sequence[]): Promise<void> {
  for (const { table, column, next } of sequences)
    await client.query('select setval(pg_get_serial_sequence($1, $2), $3, false)', [
      quoteName(table),
      column,
      next,
    ])
}

/** Adapts restored rows to this server and to the present. Runs within the transaction of the caller. */
export async function adjustRestoredStore(client: pg.Client): Promise<void> {
  // Rows of another server may have transaction ids that this server has not assigned yet. Every live listing
  // would treat them as new changes.
  for (const table of ['changes', 'history'])
    await client.query(
      `update ${table} set transaction = pg_current_xact_id() where transaction > pg_current_xact_id()`,
    )
  // One time for all statements: sessions end exactly at the time of the restore.
  const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now')
  const restoredAt = rows[0]?.now
  // Invalidates the cursors of the feed, because they may refer to changes that are not in the backup.
  await client.query('update history_begin set restored_at = $1, restored_in = pg_current_xact_id()', [
    restoredAt,
  ])
  // Makes every webhook due. Its position is older than the restore, so the worker continues with new changes.
  await client.query('update webhooks set since = $1', [firstSnapshot])
  // Ends all sessions, because some of them may have been ended after the backup.
  await client.query('update signin_sessions set ended_at = $1 where ended_at is null', [restoredAt])
  // The restored store itself has no backup yet. If it is older and other tools have restored it, the table
  // is missing until the next migration.
  const { rows: found } = await client.query(`select from pg_class where oid = to_regclass('latest_backup')`)
  if (found.length > 0) await client.query('delete from latest_backup')
}
