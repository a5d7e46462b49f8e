import pg from 'pg'
import { readApplied } from '../../db/migrate.ts'
import { type CommitBlock, storeTasks } from '../../db/stores.ts'
import {
  type ArchiveWriter,
  type BackupEnd,
  type BackupFile,
  type BackupHead,
  backupFormat,
  writeArchive,
} from './archive.ts'
import { copyOut, quoteName, readSequences, readStoredTables, type StoredTable } from './copy.ts'
import { type CopiedFiles, readSecrets, writeAttachments } from './files.ts'

export interface WrittenBackup {
  readonly rows: number
  readonly files: CopiedFiles
}

/**
 * Backs up all rows from one snapshot, and then the files of attachments. Hosts can write in the meantime. On
 * a sharded store, commits wait until every node has taken its snapshot.
 */
export async function writeBackup(
  url: string,
  dataDirectory: string,
  backup: BackupFile,
  attachmentDirectory?: string,
): Promise<WrittenBackup> {
  const client = new pg.Client({ connectionString: url, application_name: 'backup' })
  // A lost connection also rejects the query in progress, so it is reported there.
  client.on('error', () => undefined)
  let commitBlock: CommitBlock | undefined
  try {
    await client.connect()
    commitBlock = await storeTasks.blockCommits(url)
    await client.query('begin isolation level repeatable read read only')
    // Makes the format of the rows independent of the server's settings, and removes time limits.
    await client.query(
      `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local extra_float_digits = 1;
       set local bytea_output = 'hex'; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
    )
    const migrations = await readApplied(client)
    if (migrations.length === 0)
      throw new Error('This database has no Tracker schema: there is nothing to back up.')
    const tables = await readStoredTables(client)
    // On a sharded store, takes the snapshots of all nodes, and then lets commits continue. On a single node,
    // the first query has taken the snapshot.
    await commitBlock.takeNodeSnapshots(client)
    // Tables cannot be dropped from now on. The statement fails if a table was dropped before.
    await client.query(
      `lock table ${tables.map(({ name }) => quoteName(name)).join(', ')} in access share mode`,
    )
    const rows: Record<string, number> = {}
    let files: CopiedFiles = { written: 0, missing: 0 }
    await writeArchive(backup, async (archive) => {
      await archive.json(await createHead(client, { migrations, tables, dataDirectory }))
      for (const table of tables) {
        await archive.json({ table: table.name })
        rows[table.name] = await copyTable(client, table, archive)
      }
      if (attachmentDirectory !== undefined)
        files = await writeAttachments(client, archive, attachmentDirectory)
      // Sequences are not part of a snapshot. They are read last, so that they are not behind the rows.
      const end: BackupEnd = { rows, files: files.written, sequences: await readSequences(client) }
      await archive.json(end)
    })
    return { rows: Object.values(rows).reduce((sum, count) => sum + count, 0), files }
  } finally {
    await commitBlock?.release()
    await client.end().catch(() => undefined)
  }
}

type HeadParts = Pick<BackupHead, 'migrations' | 'tables'> & { readonly dataDirectory: string }

async function createHead(client: pg.Client, { dataDirectory, ...parts }: HeadParts): Promise<BackupHead> {
  const { rows } = await client.query<{ madeAt: string; server: string }>(
    `select now()::text as "madeAt", current_setting('server_version') as server`,
  )
  const { madeAt = '', server = '' } = rows[0] ?? {}
  return { format: backupFormat, madeAt, server, ...parts, files: await readSecrets(dataDirectory) }
}

/** PostgreSQL sends each row separately. `copyTable` joins rows into records of about this size. */
const pieceBytes = 64 * 1024

async function copyTable(
  client: pg.Client,
  { name, columns }: StoredTable,
  archive: ArchiveWriter,
): Promise<number> {
  let pieces: Buffer[] = []
  let length = 0
  const flush = () => {
    const all = Buffer.concat(pieces)
    pieces = []
    length = 0
    return all.length === 0 ? undefined : archive.data(all)
  }
  const list = columns.map(pg.escapeIdentifier).join(', ')
  const rows = await copyOut(client, `copy (select ${list} from ${quoteName(name)}) to stdout`, (piece) => {
    pieces.push(piece)
    length += piece.length
    return length < pieceBytes ? undefined : flush()
  })
  await flush()
  return rows
}
