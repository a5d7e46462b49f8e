import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { type Duplex, Transform, type TransformCallback } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type { AppliedMigration } from '../../db/migrate.ts'
import { publishFile } from '../publish-file.ts'
import type { Sequence, StoredTable } from './copy.ts'

/*
 * A backup is a gzipped sequence of records, each with a letter, four bytes of length, and the content. `J`
 * is JSON and `D` is a piece of a table or file. `S`, the last record, has the SHA-256 of all other records,
 * which detects truncated and changed files. With a key, the gzipped file is encrypted.
 */

export interface BackupFile {
  readonly file: string
  /** Encrypts and decrypts the file. */
  readonly key?: BackupKey | undefined
}

/** Each method returns undefined, or a promise that resolves when the stream has drained. */
export interface ArchiveWriter {
  json(value: unknown): Promise<void> | undefined
  data(piece: Buffer): Promise<void> | undefined
}

/**
 * Writes to `FILE.partial`, and moves the complete file to `FILE`. Throws before it writes anything if `FILE`
 * exists. If the move fails, the partial file is kept.
 */
export async function writeArchive(
  { file, key }: BackupFile,
  write: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  if (existsSync(file)) throw new Error(alreadyExists(file))
  const partial = `${file}.partial`
  await writePartial({ file: partial, key }, write)
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
  { file: partial, key }: BackupFile,
  write: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
  const gzip = createGzip({ level: 4 })
  const streams: Duplex[] = key === undefined ? [gzip] : [gzip, encrypt(key)]
  const hash = createHash('sha256')
  const failed = new Promise<never>((_resolve, reject) => {
    for (const stream of [output, ...streams]) stream.on('error', reject)
  })
  // Prevents an unhandled rejection if a stream fails while nothing waits for `failed`.
  failed.catch(() => undefined)
  for (const [index, stream] of streams.entries()) stream.pipe(streams[index + 1] ?? output)
  const writeRecord = (kind: string, bytes: Buffer) => {
    if (bytes.length > recordBytesMax) throw new Error('A row is larger than a backup can hold.')
    const head = Buffer.alloc(5)
    head.write(kind)
    head.writeUInt32BE(bytes.length, 1)
    hash.update(head).update(bytes)
    gzip.write(head)
    return gzip.write(bytes) ? undefined : Promise.race([once(gzip, 'drain').then(() => undefined), failed])
  }
  try {
    await Promise.race([once(output, 'open'), failed])
    const archive: ArchiveWriter = {
      json: (value) => writeRecord('J', Buffer.from(JSON.stringify(value))),
      data: (piece) => writeRecord('D', piece),
    }
    await Promise.race([write(archive), failed])
    // `copy`, because `writeRecord` updates the hash once more. There is no need to wait: `gzip.end` flushes
    // the record.
    void writeRecord('S', hash.copy().digest())
    gzip.end()
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
    for (const stream of [...streams, output]) stream.destroy()
  }
}

export type Part =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'data'; readonly piece: Buffer }

/** Yields all records. Throws at the end if the checksum does not match, or if anything follows it. */
export async function* readArchive({ file, key }: BackupFile): AsyncGenerator<Part> {
  const { gunzip, ...input } = await openByteReader({ file, key })
  try {
    yield* readRecords(input)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const reason = code.startsWith('Z_') ? 'it is not a backup of this program, or was changed' : message
    throw new Error(`${file} cannot be restored: ${reason}.`, { cause: error })
  } finally {
    gunzip.destroy()
  }
}

async function* readRecords({ take, requireEnd }: ByteReader): AsyncGenerator<Part> {
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

/** Limits the memory that a corrupt length could allocate. A record has one row or several small rows. */
const recordBytesMax = 256 * 1024 ** 2

interface ByteReader {
  take(length: number): Promise<Buffer>
  requireEnd(): Promise<void>
}

async function openByteReader({ file, key }: BackupFile) {
  // Only an encrypted file begins with a salt.
  const salt = saltIn(await readStart(file))
  if (salt && !key) throw new Error(`${file} is encrypted. Add --key-file with its key.`)
  const gunzip = createGunzip()
  const input = createReadStream(file, { start: salt ? startBytes : 0 })
  const fail = (error: Error) => gunzip.destroy(error)
  input.on('error', fail)
  if (salt && key) input.pipe(decrypt(key, salt)).on('error', fail).pipe(gunzip)
  else input.pipe(gunzip)
  const pieces = gunzip[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const take = async (length: number): Promise<Buffer> => {
    const parts = [rest]
    let available = rest.length
    while (available < length) {
      const { value, done } = await pieces.next()
      if (done) throw new Error('it is truncated')
      parts.push(value)
      available += value.length
    }
    const joined = parts.length === 1 ? rest : Buffer.concat(parts)
    rest = joined.subarray(length)
    return joined.subarray(0, length)
  }
  const requireEnd = async () => {
    if (rest.length > 0 || !(await pieces.next()).done) throw new Error('there is data after its checksum')
  }
  return { gunzip, take, requireEnd }
}

async function readStart(file: string): Promise<Buffer> {
  const opened = await open(file)
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(startBytes), 0, startBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await opened.close()
  }
}

/** Increment the number when files of the previous format can no longer be read. */
export const backupFormat = 'tracker backup 1'

/** The first record of a backup. For each table, a record with its name and then its rows follow. */
export interface BackupHead {
  readonly format: string
  readonly madeAt: string
  readonly server: string
  readonly migrations: readonly AppliedMigration[]
  readonly tables: readonly StoredTable[]
  /** Files of the data directory, without which some of the rows are unusable. */
  readonly files: Readonly<Record<string, string>>
}

/** The last record before the checksum. */
export interface BackupEnd {
  readonly rows: Readonly<Record<string, number>>
  /** The number of files. Backups of earlier versions contain no files. */
  readonly files?: number
  readonly sequences: readonly Sequence[]
}

/*
 * An encrypted backup begins with `magic` and a random salt; the encryption key is derived from the key file
 * and the salt. Pieces of 64 KiB follow, each encrypted with AES-256-GCM. The nonce contains the number of
 * the piece, and whether it is the last one. This detects reordered pieces and a truncated file (the STREAM
 * construction).
 */
const magic = Buffer.from('tracker backup, encrypted 1\n')
const saltBytes = 32
const pieceBytes = 64 * 1024
const tagBytes = 16
/** The length of `magic` and salt. */
const startBytes = magic.length + saltBytes

export type BackupKey = Buffer

/** Reads a key that `openssl rand -hex 32` has written. */
export function readKeyFile(path: string): BackupKey {
  const text = readText(path).trim()
  if (!/^[\da-f]{64}$/i.test(text))
    throw new Error(
      `${path} must contain a key of 64 hexadecimal digits. Create one: openssl rand -hex 32 > ${path}`,
    )
  return Buffer.from(text, 'hex')
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`The key file cannot be read: ${(error as Error).message}.`, { cause: error })
  }
}

function encrypt(key: BackupKey): Transform {
  const salt = randomBytes(saltBytes)
  const fileKey = deriveKey(key, salt)
  const stream = transformPieces(pieceBytes, (piece, nonce) => {
    const cipher = createCipheriv('aes-256-gcm', fileKey, nonce)
    return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
  })
  stream.push(Buffer.concat([magic, salt]))
  return stream
}

/** Returns the salt of an encrypted backup, from the first `startBytes` of its file, or undefined. */
const saltIn = (start: Buffer): Buffer | undefined =>
  start.length === startBytes && start.subarray(0, magic.length).equals(magic)
    ? start.subarray(magic.length)
    : undefined

/** Decrypts everything after the first `startBytes`. */
function decrypt(key: BackupKey, salt: Buffer): Transform {
  const fileKey = deriveKey(key, salt)
  return transformPieces(pieceBytes + tagBytes, (piece, nonce) => {
    const decipher = createDecipheriv('aes-256-gcm', fileKey, nonce, { authTagLength: tagBytes })
    try {
      decipher.setAuthTag(piece.subarray(-tagBytes))
      return Buffer.concat([decipher.update(piece.subarray(0, -tagBytes)), decipher.final()])
    } catch {
      throw new Error('it was changed or truncated, or the key belongs to another backup')
    }
  })
}

const deriveKey = (key: BackupKey, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, 'tracker backup', 32))

/** Converts a stream to pieces of `size`. The last piece may be smaller or empty. */
function transformPieces(size: number, convert: (piece: Buffer, nonce: Buffer) => Buffer): Transform {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  const convertNext = (piece: Buffer, { isLast }: { readonly isLast: boolean }): Buffer => {
    const nonce = Buffer.alloc(12)
    nonce.writeUIntBE(number, 5, 6)
    nonce.writeUInt8(isLast ? 1 : 0, 11)
    number += 1
    return convert(piece, nonce)
  }
  const attempt = (done: TransformCallback, work: () => void) => {
    try {
      work()
      done()
    } catch (error) {
      done(error as Error)
    }
  }
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      attempt(done, () => {
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
        // A full piece may be the last piece, so it waits for the next byte.
        for (; rest.length > size; rest = rest.subarray(size))
          this.push(convertNext(rest.subarray(0, size), { isLast: false }))
      })
    },
    flush(done) {
      attempt(done, () => this.push(convertNext(rest, { isLast: true })))
    },
  })
}
