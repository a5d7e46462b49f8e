import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Budgets } from '../../config/budgets.ts'
import type { AttachmentSettings } from '../../config/host-settings.ts'
import type { Database } from '../../db/database.ts'
import { maintenanceLimits } from '../../db/failures.ts'
import { sql } from '../../db/sql.ts'
import type { Budget } from '../../model/budget.ts'
import { type RepeatedWork, repeat } from '../../model/repeat.ts'
import { type FileStore, openDiskStore } from './file-store.ts'
import { openS3Store } from './s3-store.ts'

/** Everything that the routes of attachments and the sweep share. */
export interface Files {
  readonly limits: AttachmentSettings
  readonly store: FileStore
  /** Holds files while they arrive. */
  readonly uploadDirectory: string
  readonly budgets: Readonly<Record<FileBudget, Budget>>
  /** The bytes of files since the start, for the metrics. */
  readonly bytes: { stored: number; served: number }
  /** The identity of the store. Undefined if the directory cannot be used. */
  readonly identity: string | undefined
}

type FileBudget = 'uploads' | 'uploadsOfAccount' | 'downloads' | 'downloadsOfAccount'

export interface FilesOptions {
  readonly settings: AttachmentSettings
  readonly budgets: Budgets
  /** Called if the directory cannot be used. Everything except attachments works nevertheless. */
  readonly onFailure: (error: unknown) => void
}

export async function openFiles({ settings, budgets, onFailure }: FilesOptions): Promise<Files> {
  const store = openStore(settings)
  const uploadDirectory = uploadDirectoryOf(settings)
  const prepare = async () => {
    await mkdir(uploadDirectory, { recursive: true, mode: 0o700 })
    return store.identity()
  }
  return {
    limits: settings,
    store,
    uploadDirectory,
    budgets: {
      uploads: budgets.budget('uploads'),
      uploadsOfAccount: budgets.budget('uploadsOfAccount'),
      downloads: budgets.budget('downloads'),
      downloadsOfAccount: budgets.budget('downloadsOfAccount'),
    },
    bytes: { stored: 0, served: 0 },
    identity: await prepare().catch((error) => void onFailure(error)),
  }
}

export const openStore = ({ s3, directory }: AttachmentSettings): FileStore =>
  s3 ? openS3Store(s3) : openDiskStore(directory)

/** Uploads are within the directory of the store, so that a complete file only has to be renamed. */
export const uploadDirectoryOf = ({ directory }: Pick<AttachmentSettings, 'directory'>): string =>
  join(directory, 'uploads')

export interface SweepOptions {
  readonly database: Database
  readonly files: Pick<Files, 'store' | 'uploadDirectory'>
  readonly onFailure: (error: unknown) => void
}

/**
 * Deletes what crashes and purges leave behind, at the start and every hour. Several instances may sweep at
 * the same time.
 */
export function startSweep({ database, files, onFailure }: SweepOptions): RepeatedWork {
  const sweep = async () => {
    await sweepUploads(files.uploadDirectory)
    await sweepFiles(database, files.store)
  }
  const first = sweep().catch(onFailure)
  const repeated = repeat({ everyMilliseconds: sweepIntervalMilliseconds, onFailure }, sweep)
  return {
    async stop() {
      await Promise.all([first, repeated.stop()])
    },
  }
}

const sweepIntervalMilliseconds = 60 * 60_000

/** No upload in progress pauses for this long. */
const abandonedAfterMilliseconds = 60 * 60_000

/** Deletes uploads that were interrupted by a crash. */
export async function sweepUploads(directory: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    // Another instance may have deleted or moved it.
    const found = await stat(path).catch(() => undefined)
    if (found && now - found.mtimeMs > abandonedAfterMilliseconds) await rm(path, { force: true })
  }
}

/** Longer than any request, so that the file of an upload in progress is left alone. */
const graceHours = 24
const batchSize = 1000

/**
 * Deletes files without an attachment, for example after a purge, a crash or a failed commit. Only files
 * recorded in `attachment_files` are deleted, so files of another database are never touched.
 */
export async function sweepFiles(database: Database, store: FileStore): Promise<void> {
  for (let found = batchSize; found === batchSize; ) {
    const ids = await markOrphanedFiles(database)
    for (const id of ids) await deleteFile(database, store, id)
    found = ids.length
  }
}

/** Deletes the file before its record, so that the next sweep retries after a failure. */
export async function deleteFile(
  database: Pick<Database, 'singleWrites'>,
  store: FileStore,
  id: string,
): Promise<void> {
  await store.delete(id)
  await database.singleWrites.query(sql`delete from attachment_files where id = ${id} returning 1`)
}

/**
 * Marks files for deletion and returns their ids. `createAttachment` locks the record of a file before it
 * adds the attachment, and adds none to a marked record. So locked records are skipped, and attachments are
 * read again after the lock.
 */
function markOrphanedFiles(database: Database): Promise<string[]> {
  return database.transaction(async (transaction) => {
    const candidates = await transaction.query<{ id: string }>(sql`
      select id from (
        select id from attachment_files where begun_at < now() - make_interval(hours => ${graceHours}::int)
        except select id from attachments
      ) as orphaned limit ${batchSize}::int`)
    const locked = await transaction.query<{ id: string }>(sql`
      select id from attachment_files where id = any(${idsOf(candidates)}::uuid[]) order by id for update skip locked`)
    const withRow = await transaction.query<{ id: string }>(
      sql`select id from attachments where id = any(${idsOf(locked)}::uuid[])`,
    )
    const orphaned = idsOf(locked).filter((id) => !idsOf(withRow).includes(id))
    await transaction.query(
      sql`update attachment_files set is_deleting = true where id = any(${orphaned}::uuid[]) returning 1`,
    )
    return orphaned
  }, maintenanceLimits)
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id)
