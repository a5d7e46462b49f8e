import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type pg from 'pg'
import { type AttachmentSettings, readAttachmentSettings } from '../../config/attachment-settings.ts'
import { readSettings } from '../../config/settings.ts'
import { pathOfFile } from '../../features/attachments/file-store.ts'
import { openStore, uploadDirectoryOf } from '../../features/attachments/files.ts'
import { receiveFile } from '../../features/attachments/receive-file.ts'
import { uuidPattern } from '../../model/field-kinds.ts'
import type { ArchiveWriter } from './archive.ts'

/*
 * The files of attachments follow the tables: a record with the id and the size of each, then its bytes. A file is not part of the
 * snapshot, but never changes, and is deleted long after its row was removed.
 */

interface FileHeader {
  readonly file: string
  readonly size: number
}

export interface CopiedFiles {
  readonly written: number
  /** Rows of the snapshot without a file, or with one of another size. */
  readonly missing: number
}

/** Returns the folder to back up; undefined where the files are in a bucket. */
export function attachmentFolder(): string | undefined {
  const { s3, directory } = readSettings(process.env, readAttachmentSettings)
  return s3 ? undefined : directory
}

export async function writeFiles(
  client: pg.Client,
  archive: ArchiveWriter,
  folder: string,
): Promise<CopiedFiles> {
  const rows = await readRows(client)
  if (rows.length > 0 && !existsSync(folder))
    throw new Error(
      `The store has ${rows.length} attachments, and there is no folder ${folder}. Run the backup where the files are, with their DATA_DIR, or add --without-files.`,
    )
  let written = 0
  for (const row of rows) if (await writeFile(archive, folder, row)) written += 1
  return { written, missing: rows.length - written }
}

/** The schema of an earlier version has no attachments. */
async function readRows(client: pg.Client): Promise<readonly FileHeader[]> {
  const { rows: tables } = await client.query(
    `select from pg_class where oid = to_regclass('public.attachments')`,
  )
  if (tables.length === 0) return []
  const { rows } = await client.query<FileHeader>('select id as file, size from attachments order by id')
  return rows
}

/** Returns false if there is no such file. */
async function writeFile(archive: ArchiveWriter, folder: string, header: FileHeader): Promise<boolean> {
  const handle = await open(pathOfFile(folder, header.file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return false
  try {
    if ((await handle.stat()).size !== header.size) return false
    await archive.json(header)
    for await (const piece of handle.createReadStream({ autoClose: false })) await archive.data(piece)
    return true
  } finally {
    await handle.close()
  }
}

/** Stores the files of a backup one after another. */
export interface FileTarget {
  put(id: string, size: number, pieces: AsyncIterable<Buffer>): Promise<void>
}

export async function openFileTarget(settings: AttachmentSettings): Promise<FileTarget> {
  const store = openStore(settings)
  const folder = uploadDirectoryOf(settings)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const limits = { bytesMax: Number.POSITIVE_INFINITY, milliseconds: patienceMilliseconds }
  return {
    async put(id, size, pieces) {
      const file = await receiveFile(Readable.from(pieces), join(folder, `${randomUUID()}.part`), limits)
      if (file.size !== size) throw new Error(`The file ${id} has ${file.size} bytes instead of ${size}.`)
      await store.put(id, file)
    },
  }
}

/** The longest time of a timer. */
const patienceMilliseconds = 2 ** 31 - 1

/** Returns the id and the size of a file if the record begins one. */
export function parseFileHeader(value: unknown): FileHeader | undefined {
  const { file, size } = (value ?? {}) as Partial<FileHeader>
  if (file === undefined) return undefined
  // The id becomes the name of a file.
  if (!uuidPattern.test(file) || typeof size !== 'number')
    throw new Error('The backup has a file that does not belong to this program.')
  return { file, size }
}
