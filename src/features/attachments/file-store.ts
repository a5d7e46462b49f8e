import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { overloaded, type Problem } from '../../model/problem.ts'

/** A complete file in the directory of uploads. */
export interface UploadedFile {
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** The first and the last byte, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Stores files under the ids of their rows. If the store fails, every method except `identity` rejects with
 * `filesUnavailable`.
 */
export interface FileStore {
  /** Returns the same text on all instances that share the files. */
  identity(): Promise<string>
  /** Stores the file durably and removes it from the directory of uploads. */
  put(id: string, file: UploadedFile): Promise<void>
  /** Rejects if the file is missing or has another size. */
  read(id: string, file: Pick<UploadedFile, 'size'>, range: ByteRange): Promise<Readable>
  /** Succeeds if the file is missing. */
  delete(id: string): Promise<void>
}

/** The problem if the directory, the disk or the service fails. An operator has to repair it. */
export const filesUnavailable = (cause: unknown): Problem =>
  overloaded('Files are not available at the moment. Please try again later.', {
    cause,
    retryAfterSeconds: 10,
  })

export const sizeMismatch = (id: string): Error =>
  new Error(`The file of attachment ${id} has another size than its row says.`)

/** Stores files in a directory that all instances share. */
export function openDiskStore(directory: string): FileStore {
  const pathOf = (id: string) => pathOfFile(directory, id)
  return {
    identity: () => identityOf(directory),
    put: (id, file) => orFilesUnavailable(() => publish(file.path, pathOf(id))),
    read: (id, { size }, { start, end }) =>
      orFilesUnavailable(async () => {
        const handle = await open(pathOf(id))
        const stored = await handle.stat()
        if (stored.size === size) return handle.createReadStream({ start, end })
        await handle.close()
        throw sizeMismatch(id)
      }),
    delete: (id) => orFilesUnavailable(() => rm(pathOf(id), { force: true })),
  }
}

/** The end of an id is random, so files are distributed over many directories. */
export const pathOfFile = (directory: string, id: string): string => join(directory, id.slice(-2), id)

async function orFilesUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw filesUnavailable(error)
  }
}

/** Moves a complete file to its final name, so that readers never see a part of it. */
async function publish(source: string, target: string): Promise<void> {
  const directory = dirname(target)
  const firstCreated = await mkdir(directory, { recursive: true, mode: 0o700 })
  await rename(source, target)
  await syncDirectory(directory)
  // The name of a new directory must survive a power failure.
  if (firstCreated !== undefined) await syncDirectory(dirname(directory))
}

/** Without this, a power failure could undo the new name. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path)
  await directory.sync().finally(() => directory.close())
}

/**
 * Returns an id that is stored in the directory. Instances compare it to notice that they do not share the
 * directory.
 */
async function identityOf(directory: string): Promise<string> {
  const file = join(directory, 'id')
  // A directory that cannot be used is reported below, when the draft is written.
  const readExisting = () => readFile(file, 'utf8').catch(() => undefined)
  const existing = await readExisting()
  if (existing !== undefined) return existing
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = join(directory, `id.${randomUUID()}`)
  await writeFile(draft, randomUUID(), { mode: 0o600 })
  // The link fails if another instance has created the file in the meantime. A rename would replace that
  // file.
  await link(draft, file).catch(() => undefined)
  await rm(draft)
  return (await readExisting()) ?? ''
}
