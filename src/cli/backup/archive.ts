import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Applied } from '../../db/migrate.ts'
import { publishFile } from '../publish-file.ts'
import type { Sequence, StoredTable } from './copy.ts'

/*
 * A backup is one gzipped file of records, each a letter, four bytes of length and the bytes. `J` is JSON,
 * `D` a piece of a table, and the last one, `S`, the SHA-256 of everything before it, so that a truncated or
 * changed file is detected.
 */

/** The methods resolve when the stream has drained, and return undefined if there is nothing to wait for. */
export interface ArchiveWriter {
  json(value: unknown): Promise<void> | undefined
  data(piece: Buffer): Promise<void> | undefined
}

/**
 * Written to `FILE.partial` and published when it is complete. An existing file is never overwritten, and is
 * noticed before anything is written. A complete file whose publication fails is kept.
 */
export async function writeArchive(
  file: string,
  write: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  if (existsSync(file)) throw new Error(alreadyExists(file))
  const partial = `${file}.partial`
  await writePartial(partial, write)
  try {
    await publishFile(partial, file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' ? alreadyExists(file) : message
    throw new Error(`${reason} The backup is complete in ${partial}.`, { cause: error })
  }
}

const alreadyExists = (file: string) => `${file} already exists and is not overwritten.`

async function writePartial(
  partial: string,
  write: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
  const packed = createGzip({ level: 4 })
  const hash = createHash('sha256')
  const failed = new Promise<never>((_resolve, reject) => {
    for (const stream of [output, packed]) stream.on('error', reject)
  })
  // Prevents an unhandled rejection when a stream fails between two waits.
  failed.catch(() => undefined)
  packed.pipe(output)
  const put = (kind: string, bytes: Buffer) => {
    if (bytes.length > recordBytesMax) throw new Error('A row is larger than a backup can hold.')
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
    const archive: ArchiveWriter = {
      json: (value) => put('J', Buffer.from(JSON.stringify(value))),
      data: (piece) => put('D', piece),
    }
    await Promise.race([write(archive), failed])
    // `put` adds to the hash, and a digested hash can take no more. `end` follows, so there is nothing to wait for.
    void put('S', hash.copy().digest())
    packed.end()
    await Promise.race([once(output, 'close'), failed])
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && syscall === 'open')
      throw new Error(
        `${partial} already exists: another backup is running, or one was interrupted. Remove the file if none is running.`,
      )
    await rm(partial, { force: true })
    throw error
  } finally {
    packed.destroy()
    output.destroy()
  }
}

export type Part =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'data'; readonly piece: Buffer }

/** Reads from the start to the checksum, which must match, and after which nothing may follow. */
export async function* readArchive(file: string): AsyncGenerator<Part> {
  const { unpacked, ...input } = openBytes(file)
  try {
    yield* readRecords(input)
  } catch (error) {
    throw new Error(`${file} cannot be restored: ${(error as Error).message}.`, { cause: error })
  } finally {
    unpacked.destroy()
  }
}

async function* readRecords({ take, requireEnd }: Bytes): AsyncGenerator<Part> {
  const hash = createHash('sha256')
  for (;;) {
    const head = await take(5)
    const kind = head.toString('latin1', 0, 1)
    const length = head.readUInt32BE(1)
    if (!'JDS'.includes(kind) || length > recordBytesMax)
      throw new Error('it is not a backup of this program')
    const body = await take(length)
    if (kind === 'S') {
      if (!body.equals(hash.digest())) throw new Error('its checksum is wrong')
      return requireEnd()
    }
    hash.update(head).update(body)
    yield kind === 'J' ? { kind: 'json', value: JSON.parse(body.toString()) } : { kind: 'data', piece: body }
  }
}

/** Protects against corrupt lengths. A record is one row, or several small ones that were joined. */
const recordBytesMax = 256 * 1024 ** 2

interface Bytes {
  take(length: number): Promise<Buffer>
  requireEnd(): Promise<void>
}

function openBytes(file: string) {
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
  const requireEnd = async () => {
    if (rest.length > 0 || !(await pieces.next()).done) throw new Error('something follows its checksum')
  }
  return { unpacked, take, requireEnd }
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
