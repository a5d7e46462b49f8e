import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import pg from 'pg'
import { readAttachmentSettings } from '../../config/host-settings.ts'
import { readSettings } from '../../config/settings.ts'
import { withClient } from '../../db/connections.ts'
import { readApplied } from '../../db/migrate.ts'
import { type CommitBlock, storeTasks } from '../../db/stores.ts'
import { withStore } from '../shared-store.ts'
import { type Options, UsageError } from '../usage.ts'
import {
  type ArchiveWriter,
  type BackupEnd,
  type BackupFile,
  type BackupHead,
  backupFormat,
  readKeyFile,
  writeArchive,
} from './archive.ts'
import { copyOut, quoteName, readSequences, readStoredTables, type StoredTable } from './copy.ts'
import {
  attachmentDirectory,
  type CopiedFiles,
  openFileTarget,
  readSecrets,
  requireNoConflictingSecrets,
  writeAttachments,
  writeSecrets,
} from './files.ts'
import { adjustRestoredStore, type CheckedBackup, checkBackup, restoreBackup } from './restore-backup.ts'

/**
 * `npm run backup -- [FILE]` writes and verifies a backup. FILE may be a directory. `--copy-command` copies
 * the backup. Then `--keep` deletes the oldest backups of the directory.
 */
export async function runBackup([target]: readonly string[], options: Options): Promise<void> {
  const keep = parseKeep(textOf(options.keep))
  const directory = keep === undefined && !isDirectory(target) ? undefined : resolve(target ?? '.')
  if (directory) mkdirSync(directory, { recursive: true, mode: 0o700 })
  const name = `tracker-${timestamp()}.backup`
  const backup = backupFileOf(
    directory ? join(directory, name) : resolve(target ?? name),
    textOf(options['key-file']),
  )
  await withStore({ createIfMissing: false }, async ({ url, dataDirectory }) => {
    const attachments = options['without-files'] === true ? undefined : attachmentDirectory()
    const { rows, files } = await writeBackup(url, dataDirectory, backup, attachments)
    const { head } = await checkBackup(backup)
    const copyCommand = textOf(options['copy-command'])
    if (copyCommand) await runCopyCommand(copyCommand, backup.file)
    await recordBackup(url, head.madeAt).catch(warnNotRecorded)
    const size = statSync(backup.file).size
    console.log(`${backup.file} has ${contentText(rows, files.written)}, ${size} bytes, and was verified.`)
    if (files.missing > 0)
      console.error(
        `${files.missing} attachments have no file in ${attachments}, or one of a different size. Unless they were purged during the backup, take these files from an earlier backup.`,
      )
  })
  if (directory && keep) deleteOldest(directory, keep)
}

/** `npm run backup -- verify FILE`: reads the file, or the newest backup of a directory. */
export async function runVerifyBackup([target = '']: readonly string[], options: Options): Promise<void> {
  const file = requireBackup(isDirectory(target) ? newestBackupIn(target) : target)
  const backup = backupFileOf(file, textOf(options['key-file']))
  reportIntact(backup, await checkBackup(backup))
}

/** `npm run restore -- FILE`: restores into an empty store. With `--check`, only reads the file. */
export async function runRestore([target = '']: readonly string[], options: Options): Promise<void> {
  const backup = backupFileOf(requireBackup(target), textOf(options['key-file']))
  const checked = await checkBackup(backup)
  if (options.check === true) return reportIntact(backup, checked)
  const { head } = checked
  await withStore({ createIfMissing: true }, async ({ url, dataDirectory }) => {
    await requireNoConflictingSecrets(head.files, dataDirectory)
    await restoreBackup(url, backup, checked, {
      writeSecrets: () => writeSecrets(head.files, dataDirectory),
      files: await openFileTarget(readSettings(process.env, readAttachmentSettings)),
    })
  })
  console.log(`Restored ${contentOf(checked)} of ${head.madeAt}. All users have to sign in again.`)
  if (process.env.DATABASE_URL) console.log('Run `npm run cli -- prepare` if hosts have their own roles.')
}

/** `npm run cli -- restored`: prepares a database that other tools have restored, before the hosts start. */
export async function runRestored(): Promise<void> {
  await withStore({ createIfMissing: false }, ({ url }) =>
    withClient(url, 'backup', async (client) => {
      await client.query('begin')
      await adjustRestoredStore(client)
      await client.query('commit')
    }),
  )
  console.log('The restored store is ready. All users have to sign in again.')
}

/** `npm run cli -- backed-up`: records that another tool has made a backup, for doctor and metrics. */
export async function runBackedUp(): Promise<void> {
  await withStore({ createIfMissing: false }, ({ url }) => recordBackup(url, 'now'))
  console.log('The backup is recorded.')
}

const contentOf = ({ end }: CheckedBackup): string =>
  contentText(
    Object.values(end.rows).reduce((sum, count) => sum + count, 0),
    end.files,
  )

const contentText = (rows: number, files = 0): string =>
  files > 0 ? `${rows} rows and ${files} files` : `${rows} rows`

const reportIntact = ({ file }: BackupFile, checked: CheckedBackup): void =>
  console.log(`${file} of ${checked.head.madeAt} is intact: ${contentOf(checked)}.`)

const textOf = (option: Options[string]): string | undefined =>
  typeof option === 'string' ? option : undefined

function parseKeep(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const keep = Number(text)
  if (Number.isInteger(keep) && keep > 0) return keep
  throw new UsageError('--keep is the number of backups to keep in the directory, such as 14.')
}

const backupFileOf = (file: string, keyFile: string | undefined): BackupFile => ({
  file,
  key: keyFile === undefined ? undefined : readKeyFile(keyFile),
})

/**
 * Returns the path of an existing file. Throws for a directory, because the operator must choose the backup:
 * the newest backup may have damaged data.
 */
function requireBackup(target: string): string {
  if (isDirectory(target))
    throw new Error(`${target} is a directory. Name a backup in it; the newest is ${newestBackupIn(target)}.`)
  if (!existsSync(target)) throw new Error(`There is no file ${target}. Name a backup.`)
  return resolve(target)
}

function newestBackupIn(directory: string): string {
  const newest = existsSync(directory) ? backupsIn(directory).at(-1) : undefined
  if (newest === undefined) throw new Error(`There is no backup in ${directory}.`)
  return newest
}

/** A path with a trailing slash is a directory, even if it does not exist yet. */
const isDirectory = (path: string | undefined): boolean =>
  path !== undefined &&
  (/[/\\]$/.test(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)

/** Runs a shell command with the file's path in `BACKUP_FILE`. */
async function runCopyCommand(command: string, file: string): Promise<void> {
  const copying = spawn(command, {
    shell: true,
    stdio: 'inherit',
    env: { ...process.env, BACKUP_FILE: file },
  })
  const [code, signal] = await once(copying, 'exit')
  if (code !== 0)
    throw new Error(
      `${file} is complete, but the command of --copy-command failed with ${signal ?? `code ${code}`}.`,
    )
}

const recordBackup = (url: string, madeAt: string): Promise<void> =>
  withClient(url, 'backup', async (client) => {
    await client.query(
      `insert into latest_backup as known (made_at) values ($1::timestamptz)
       on conflict (is_only) do update set made_at = greatest(known.made_at, excluded.made_at)`,
      [madeAt],
    )
  })

/** A failure is only a warning. A standby or a read-only role can make a backup, but cannot record it. */
const warnNotRecorded = (error: Error) =>
  console.error(`This backup could not be recorded, so the doctor does not know of it (${error.message}).`)

/** Deletes only files that have the name of a backup. */
function deleteOldest(directory: string, keep: number): void {
  const old = backupsIn(directory).slice(0, -keep)
  for (const path of old) rmSync(path)
  if (old.length > 0) console.log(`Deleted ${old.map((path) => basename(path)).join(', ')}.`)
}

/** Returns the backups of a directory, the oldest first. Their names contain the time. */
const backupsIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => /^tracker-\d{8}T\d{6}\.backup$/.test(name))
    .sort()
    .map((name) => join(directory, name))

const timestamp = () => new Date().toISOString().slice(0, 19).replace(/[-:]/g, '')

interface WrittenBackup {
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
