import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type pg from 'pg'
import { type AttachmentSettings, readAttachmentSettings } from '../../config/host-settings.ts'
import { readSettings } from '../../config/settings.ts'
import { identitySecretFile } from '../../config/store-settings.ts'
import { pathOfFile } from '../../features/attachments/file-store.ts'
import { openStore, uploadDirectoryOf } from '../../features/attachments/files.ts'
import { receiveFile } from '../../features/attachments/receive-file.ts'
import { uuidPattern } from '../../model/field-kinds.ts'
import type { ArchiveWriter } from './archive.ts'

/*
 * The files of attachments follow the tables. Each consists of a record with its id and size, and its bytes.
 * The snapshot does not include files. But a file never changes, and is deleted only after its row has been
 * purged, so only rows that are purged during the backup can lack their file.
 */

interface FileHeader {
  readonly file: string
  readonly size: number
}

export interface CopiedFiles {
  readonly written: number
  /** The number of rows without a file, or with a file of a different size. */
  readonly missing: number
}

/** Returns the directory to back up, or undefined if the files are in a bucket. */
export function attachmentDirectory(): string | undefined {
  const { s3, directory } = readSettings(process.env, readAttachmentSettings)
  return s3 ? undefined : directory
}

export async function writeAttachments(
  client: pg.Client,
  archive: ArchiveWriter,
  directory: string,
): Promise<CopiedFiles> {
  const rows = await readAttachments(client)
  if (rows.length > 0 && !existsSync(directory))
    throw new Error(
      `The store has ${rows.length} attachments, and there is no directory ${directory}. Run the backup where the files are, with their DATA_DIR, or add --without-files.`,
    )
  let written = 0
  for (const row of rows) if (await writeAttachment(archive, directory, row)) written += 1
  return { written, missing: rows.length - written }
}

/** Returns an empty list if the schema of an earlier version has no attachments. */
async function readAttachments(client: pg.Client): Promise<readonly FileHeader[]> {
  const { rows: tables } = await client.query(
    `select from pg_class where oid = to_regclass('public.attachments')`,
  )
  if (tables.length === 0) return []
  const { rows } = await client.query<FileHeader>('select id as file, size from attachments order by id')
  return rows
}

/** Returns false if the file is missing or has a different size. */
async function writeAttachment(
  archive: ArchiveWriter,
  directory: string,
  header: FileHeader,
): Promise<boolean> {
  const handle = await open(pathOfFile(directory, header.file)).catch((error: NodeJS.ErrnoException) => {
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
  const directory = uploadDirectoryOf(settings)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const limits = { bytesMax: Number.POSITIVE_INFINITY, milliseconds: restoreMillisecondsMax }
  return {
    async put(id, size, pieces) {
      const file = await receiveFile(Readable.from(pieces), join(directory, `${randomUUID()}.part`), limits)
      if (file.size !== size) throw new Error(`The file ${id} has ${file.size} bytes instead of ${size}.`)
      await store.put(id, file)
    },
  }
}

/** A restore has no time limit. This is the longest time of a timer. */
const restoreMillisecondsMax = 2 ** 31 - 1

/** Returns undefined if the record does not begin a file. */
export function parseFileHeader(value: unknown): FileHeader | undefined {
  const { file, size } = (value ?? {}) as Partial<FileHeader>
  if (file === undefined) return undefined
  // The id becomes the name of a file, so it must not contain a path.
  if (!uuidPattern.test(file) || typeof size !== 'number')
    throw new Error('The backup has a file that does not belong to this program.')
  return { file, size }
}

/** The files in the data directory that a restored store needs. */
const secretFiles = [identitySecretFile, 'demo-password']

type SecretFiles = Readonly<Record<string, string>>

export async function readSecrets(dataDirectory: string): Promise<SecretFiles> {
  const files = await Promise.all(
    secretFiles.map(async (name) => [name, await readIfExists(join(dataDirectory, name))] as const),
  )
  return Object.fromEntries(files.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])))
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Throws if a file would overwrite a different secret. Call it before changing anything. */
export async function requireNoConflictingSecrets(files: SecretFiles, dataDirectory: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    if (!secretFiles.includes(name))
      throw new Error(`The backup has a file ${name}, which does not belong to this program.`)
    const file = join(dataDirectory, name)
    const existing = await readIfExists(file)
    if (existing !== undefined && existing !== text)
      throw new Error(
        `${file} differs from the one in the backup. Set DATA_DIR to a new directory, or move the file away.`,
      )
  }
}

export async function writeSecrets(files: SecretFiles, dataDirectory: string): Promise<void> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  for (const [name, text] of Object.entries(files)) {
    const file = join(dataDirectory, name)
    await writeFile(file, text, { mode: 0o600 })
    // The mode of `writeFile` has no effect on an existing file.
    await chmod(file, 0o600)
  }
}
