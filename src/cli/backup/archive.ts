import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createGunzip, createGzip } from 'node:zlib'
import type { Applied } from '../../db/migrate.ts'
import type { Sequence, StoredTable } from './copy.ts'

/**
 * A backup is one gzipped file of records, each a letter, four bytes of length and the bytes. `J` is JSON,
 * `D` a piece of a table, and the last one, `S`, the SHA-256 of everything before it, so that a truncated or
 * changed file is detected.
 */
export interface Archive {
  json(value: unknown): Promise<void> | undefined
  data(piece: Buffer): Promise<void> | undefined
}

/** Written next to its target and renamed when it is complete; an existing file is never overwritten. */
export async function writeArchive(file: string, write: (archive: Archive) => Promise<void>): Promise<void> {
  const partial = `${file}.partial`
  const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
  const packed = createGzip({ level: 4 })
  const hash = createHash('sha256')
  const failed = new Promise<never>((_resolve, reject) => {
    for (const stream of [output, packed]) stream.on('error', reject)
  })
  failed.catch(() => undefined)
  packed.pipe(output)
  const put = (kind: string, bytes: Buffer) => {
    const head = Buffer.alloc(5)
    head.write(kind)
    head.writeUInt32BE(bytes.length, 1)
    hash.update(head).update(bytes)
    packed.write(head)
    return packed.write(bytes)
      ? undefined
      : Promise.race([once(packed, 'drain').then(() => undefined), failed])
  }
  try {
    await Promise.race([once(output, 'open'), failed])
    const archive: Archive = {
      json: (value) => put('J', Buffer.from(JSON.stringify(value))),
      data: (piece) => put('D', piece),
    }
    await Promise.race([write(archive), failed])
    const sum = hash.copy().digest()
    void put('S', sum)
    packed.end()
    await Promise.race([once(output, 'close'), failed])
    await link(partial, file)
  } catch (error) {
    throw await rejection(error as NodeJS.ErrnoException, file, output.path as string)
  } finally {
    packed.destroy()
    output.destroy()
  }
  await rm(partial)
  await syncFolder(dirname(file))
}

/** A power failure could undo the rename without this. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

async function rejection(error: NodeJS.ErrnoException, file: string, partial: string): Promise<Error> {
  if (error.code === 'EEXIST' && error.syscall === 'open')
    return new Error(
      `${partial} is there already: another backup is being written, or one was cut short. Remove it.`,
    )
  await rm(partial, { force: true })
  return error.code === 'EEXIST' ? new Error(`${file} is there already, and is not overwritten.`) : error
}

export type Part =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'data'; readonly piece: Buffer }

/** Reads from the start to the checksum at the end, which must match. */
export async function* readArchive(file: string): AsyncGenerator<Part> {
  const { unpacked, take } = takeBytes(file)
  try {
    yield* readRecords(take)
  } catch (error) {
    throw new Error(`${file} cannot be restored: ${(error as Error).message}.`, { cause: error })
  } finally {
    unpacked.destroy()
  }
}

async function* readRecords(take: (length: number) => Promise<Buffer>): AsyncGenerator<Part> {
  const hash = createHash('sha256')
  for (;;) {
    const before = hash.copy().digest()
    const head = await take(5)
    const kind = head.toString('latin1', 0, 1)
    const length = head.readUInt32BE(1)
    if (!'JDS'.includes(kind) || length > recordBytesMax)
      throw new Error('it is not a backup of this program')
    const body = await take(length)
    if (kind === 'S') return requireSame(body, before)
    hash.update(head).update(body)
    yield kind === 'J' ? { kind: 'json', value: JSON.parse(body.toString()) } : { kind: 'data', piece: body }
  }
}

function requireSame(sum: Buffer, read: Buffer): void {
  if (!sum.equals(read)) throw new Error('its checksum is wrong')
}

/** Larger than any row; each row is a record. */
const recordBytesMax = 256 * 1024 ** 2

function takeBytes(file: string) {
  const unpacked = createGunzip()
  createReadStream(file)
    .on('error', (error) => unpacked.destroy(error))
    .pipe(unpacked)
  const pieces = unpacked[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const take = async (length: number): Promise<Buffer> => {
    const parts = [rest]
    let found = rest.length
    while (found < length) {
      const { value, done } = await pieces.next()
      if (done) throw new Error('it is truncated')
      parts.push(value)
      found += value.length
    }
    const all = parts.length === 1 ? rest : Buffer.concat(parts)
    rest = all.subarray(length)
    return all.subarray(0, length)
  }
  return { unpacked, take }
}

/** Raised when files of the previous version can no longer be read. */
export const formatOfBackups = 'tracker backup 1'

/** The first record of a backup. Each table follows as a record with its name, and its rows. */
export interface BackupHead {
  readonly format: string
  readonly madeAt: string
  readonly server: string
  readonly migrations: readonly Applied[]
  readonly tables: readonly StoredTable[]
  /** Files of the data folder, without which some of the rows are unusable. */
  readonly files: Readonly<Record<string, string>>
}

/** The last record before the checksum. */
export interface BackupEnd {
  readonly rows: Readonly<Record<string, number>>
  readonly sequences: readonly Sequence[]
}
