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

/** Reads the whole file, and returns its first and last record. */
export async function checkBackup(backup: BackupFile): Promise<CheckedBackup> {
  let [first, last]: unknown[] = []
  for await (const part of readArchive(backup)) {
    if (part.kind !== 'json') continue
    first ??= part.value
    last = part.value
  }
  const [head, end] = [first as BackupHead | undefined, last as BackupEnd | undefined]
  if (head?.format !== backupFormat || end?.rows === undefined)
    throw new Error(`${backup.file} is not a backup that this version can read.`)
  await requireKnown(head.migrations)
  return { head, end }
}

interface CheckedBackup {
  readonly head: BackupHead
  readonly end: BackupEnd
}

interface RestoreOptions {
  /** Called just before the commit. */
  readonly writeSecrets?: () => Promise<void>
  /** Receives the files of attachments. If the restore fails, those that it has received stay, and nothing refers to them. */
  readonly files?: FileTarget
}

/** Restores everything in one transaction, into an empty store. */
export async function restoreBackup(
  url: string,
  backup: BackupFile,
  { head, end }: CheckedBackup,
  { writeSecrets, files }: RestoreOptions = {},
): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'restore' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('begin')
    await client.query(`set local timezone = 'UTC'; set local datestyle = 'ISO'`)
    await requireEmpty(client)
    const backedUp = new Set(head.migrations.map(({ name }) => name))
    await migrateWithin(client, (name) => backedUp.has(name))
    await prepareTables(client, head.tables)
    const parts = readArchive(backup)
    const load = () => loadTables(client, parts, head.tables, { end, files })
    await withTransactionDefaults(client, load).finally(() => parts.return(undefined))
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

/** A failure is a warning, because the restore is committed, and PostgreSQL also analyzes tables by itself. */
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
 * Empties the tables, because the backup also contains the rows that migrations created. Creates the backup's
 * partitions.
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

/** Runs `load` while the transaction columns default to this transaction, because the backup has no transaction ids. */
async function withTransactionDefaults(client: pg.Client, load: () => Promise<void>): Promise<void> {
  const columns = await transactionColumns(client)
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
  if (!/^(DEFAULT|FOR VALUES FROM \('[-+:. \d]+'\) TO \('[-+:. \d]+'\))$/.test(bound))
    throw new Error(`The backup has a partition ${name} of an unknown kind.`)
  await client.query(
    `create table if not exists ${quoteName(name)} partition of ${quoteName(table)} ${bound}`,
  )
}

/** Columns with a default of their own need no other. */
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
  { end, files }: { readonly end: BackupEnd; readonly files: FileTarget | undefined },
): Promise<void> {
  const reader = readerOf(parts)
  const { takeRecord, takePieces } = reader
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

/** Reads to the end, even without a target, because the checksum is there. */
async function loadFiles(
  { takeRecord, takePieces }: ReturnType<typeof readerOf>,
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

function readerOf(parts: AsyncGenerator<Part>) {
  let next: Promise<IteratorResult<Part>> | undefined
  const peek = () => {
    next ??= parts.next()
    return next
  }
  const take = () => {
    next = undefined
  }
  return {
    /** Returns the next record of JSON; undefined at the end, or if data is next. */
    async takeRecord(): Promise<unknown> {
      const { value, done } = await peek()
      if (done || value.kind !== 'json') return undefined
      take()
      return value.value
    },
    /** Yields the data up to the next record. */
    async *takePieces(): AsyncGenerator<Buffer, void> {
      for (;;) {
        const { value, done } = await peek()
        if (done || value.kind !== 'data') return
        take()
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

/**
 * Makes a restored store usable, within one transaction. Lowers transaction ids to those of this server, because
 * rows with future ids would count as new in every live listing. Invalidates the cursors of the feed, which may
 * name changes that never happened here. Ends all sessions, because some of them may have ended after the backup.
 */
export async function adjustRestoredStore(client: pg.Client): Promise<void> {
  await client.query(
    `update changes set transaction = pg_current_xact_id() where transaction > pg_current_xact_id()`,
  )
  await client.query(
    `update history set transaction = pg_current_xact_id() where transaction > pg_current_xact_id()`,
  )
  // Both updates below use the same timestamp.
  const { rows } = await client.query<{ now: string }>('select clock_timestamp()::text as now')
  const timestamp = [rows[0]?.now]
  await client.query(
    'update history_begin set restored_at = $1, restored_in = pg_current_xact_id()',
    timestamp,
  )
  // Checks every webhook at once. Its position precedes the restore, so it continues with new changes.
  await client.query('update webhooks set since = $1', [firstSnapshot])
  await client.query('update signin_sessions set ended_at = $1 where ended_at is null', timestamp)
  // This store has no backup yet. One restored by other tools may lack the table until it is migrated.
  const { rows: found } = await client.query(`select from pg_class where oid = to_regclass('latest_backup')`)
  if (found.length > 0) await client.query('delete from latest_backup')
}
