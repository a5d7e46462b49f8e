import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { readApplied } from '../../db/migrate.ts'
import { type HeldCommits, storeTasks } from '../../db/stores.ts'
import {
  type ArchiveWriter,
  type BackupEnd,
  type BackupHead,
  formatOfBackups,
  writeArchive,
} from './archive.ts'
import { copyOut, readSequences, readStoredTables, type StoredTable } from './copy.ts'

/** Backs up all rows from one snapshot, while writes continue. Returns their number. */
export async function writeBackup(url: string, dataDirectory: string, file: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: 'backup' })
  // A lost connection also rejects the query in progress, which reports it.
  client.on('error', () => undefined)
  let commits: HeldCommits | undefined
  try {
    await client.connect()
    commits = await storeTasks.holdCommits(url)
    await client.query('begin isolation level repeatable read read only')
    // Makes the text independent of the server's settings, and removes time limits.
    await client.query(
      `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local extra_float_digits = 1;
       set local bytea_output = 'hex'; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
    )
    const migrations = await readApplied(client)
    if (migrations.length === 0)
      throw new Error('This store has no schema of this program: there is nothing to back up.')
    const tables = await readStoredTables(client)
    // On a sharded store, all nodes take their snapshot at this instant.
    await commits.seenBy(client)
    // Prevents tables from being dropped before they are copied. One dropped before this line fails the backup.
    await client.query(`lock table ${tables.map(({ name }) => quoted(name)).join(', ')} in access share mode`)
    const rows: Record<string, number> = {}
    await writeArchive(file, async (archive) => {
      await archive.json(await headOf(client, { migrations, tables, dataDirectory }))
      for (const table of tables) {
        await archive.json({ table: table.name })
        rows[table.name] = await copyTable(client, table, archive)
      }
      // Sequences are not transactional. Read after the rows, they are never behind them, so no number is used twice.
      const end: BackupEnd = { rows, sequences: await readSequences(client) }
      await archive.json(end)
    })
    return Object.values(rows).reduce((sum, count) => sum + count, 0)
  } finally {
    await commits?.goOn()
    await client.end().catch(() => undefined)
  }
}

type Parts = Pick<BackupHead, 'migrations' | 'tables'> & { readonly dataDirectory: string }

async function headOf(client: pg.Client, { dataDirectory, ...known }: Parts): Promise<BackupHead> {
  const { rows } = await client.query<{ madeAt: string; server: string }>(
    `select now()::text as "madeAt", current_setting('server_version') as server`,
  )
  const { madeAt = '', server = '' } = rows[0] ?? {}
  const found = await Promise.all(
    secretFiles.map(async (name) => [name, await readIfThere(join(dataDirectory, name))] as const),
  )
  const files = Object.fromEntries(
    found.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  )
  return { format: formatOfBackups, madeAt, server, ...known, files }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** PostgreSQL sends each row separately, so they are joined up to this size. */
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
  const rows = await copyOut(client, `copy (select ${list} from ${quoted(name)}) to stdout`, (piece) => {
    pieces.push(piece)
    length += piece.length
    return length < pieceBytes ? undefined : flush()
  })
  await flush()
  return rows
}

export const quoted = (name: string): string => name.split('.').map(pg.escapeIdentifier).join('.')

/** The files in the data folder that a restored store needs: the first opens the keys in the store. */
const secretFiles = ['identity-secret', 'demo-password']

type Files = Readonly<Record<string, string>>

/** Checked before anything is changed, so that a secret which may still be needed is never overwritten. */
export async function requireNoConflictingSecrets(files: Files, dataDirectory: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    if (!secretFiles.includes(name))
      throw new Error(`The backup has a file ${name}, which does not belong to this program.`)
    const file = join(dataDirectory, name)
    const found = await readIfThere(file)
    if (found !== undefined && found !== text)
      throw new Error(
        `${file} differs from the one in the backup. Set DATA_DIR to a new folder, or move the file away.`,
      )
  }
}

export async function writeSecrets(files: Files, dataDirectory: string): Promise<void> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries(files)) {
    const file = join(dataDirectory, name)
    await writeFile(file, text, { mode: 0o600 })
    await chmod(file, 0o600)
  }
}
