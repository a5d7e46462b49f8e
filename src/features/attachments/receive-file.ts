import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { errorCodes } from 'fastify'
import { invalid } from '../../model/problem.ts'
import { filesUnavailable, type UploadedFile } from './file-store.ts'

export interface ReceivedFile extends UploadedFile {
  readonly type: string
}

export interface ReceiveLimits {
  readonly bytesMax: number
  readonly milliseconds: number
}

/** The host responds to this error with 408. */
export class SlowBodyError extends Error {
  readonly code = 'BODY_TOO_SLOW'
}

/**
 * Writes a body to a new file, durably. Only one piece is in memory at a time. If the body is incomplete, too
 * large or too slow, the file is removed.
 */
export async function receiveFile(
  body: Readable,
  path: string,
  limits: ReceiveLimits,
): Promise<ReceivedFile> {
  try {
    return await writeFile(body, path, limits)
  } catch (error) {
    // The first error is reported. The sweep deletes the file later.
    await rm(path, { force: true }).catch(() => undefined)
    throw isOfDisk(error) ? filesUnavailable(error) : error
  }
}

async function writeFile(
  body: Readable,
  path: string,
  { bytesMax, milliseconds }: ReceiveLimits,
): Promise<ReceivedFile> {
  const hash = createHash('sha256')
  const detector = createTypeDetector()
  const handle = await open(path, 'wx', 0o600)
  let size = 0
  try {
    for await (const piece of piecesOf(body, milliseconds)) {
      size += piece.length
      if (size > bytesMax) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
      hash.update(piece)
      detector.add(piece)
      await handle.appendFile(piece)
    }
    if (size === 0) throw emptyFile()
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { path, size, sha256: hash.digest('hex'), type: detector.end() }
}

export const emptyFile = () => invalid({ generalErrors: ['The file is empty.'] })

/** Yields the body. After an error, the rest of the body stays unread, so that a response can be sent. */
async function* piecesOf(body: Readable, milliseconds: number): AsyncGenerator<Buffer, void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // Without a handler, a rejection while no piece is awaited would end the process.
  late.catch(() => undefined)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reject(new SlowBodyError())
  }, milliseconds)
  const pieces = body.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const { value, done } = await Promise.race([pieces.next(), late])
      if (done) return
      yield value
    }
  } finally {
    clearTimeout(timer)
    // Stops listening to the body, so that it can be drained. After a timeout, this would wait for the piece
    // that is late.
    if (!isLate) await pieces.return?.()
  }
}

/** Distinguishes errors of the disk from errors of the connection, which come from other system calls. */
const isOfDisk = (error: unknown): boolean =>
  error instanceof Error &&
  'syscall' in error &&
  ['open', 'write', 'fsync', 'close'].includes(String(error.syscall))

/** Bytes that a file of a type has at an offset, as Latin-1 text. */
interface Signature {
  readonly type: string
  readonly bytes: string
  readonly at?: number
  /** A second piece, for containers that hold several types. */
  readonly andThen?: { readonly bytes: string; readonly at: number }
}

/** Every type that is recognized, except text. The first match counts. */
const signatures: readonly Signature[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF87a' },
  { type: 'image/gif', bytes: 'GIF89a' },
  { type: 'image/webp', bytes: 'RIFF', andThen: { bytes: 'WEBP', at: 8 } },
  { type: 'image/avif', bytes: 'ftypavif', at: 4 },
  { type: 'image/avif', bytes: 'ftypavis', at: 4 },
  { type: 'video/mp4', bytes: 'ftypisom', at: 4 },
  { type: 'video/mp4', bytes: 'ftypmp42', at: 4 },
  { type: 'audio/wav', bytes: 'RIFF', andThen: { bytes: 'WAVE', at: 8 } },
  { type: 'audio/mpeg', bytes: 'ID3' },
  { type: 'application/pdf', bytes: '%PDF-' },
  { type: 'application/zip', bytes: 'PK\x03\x04' },
  { type: 'application/gzip', bytes: '\x1f\x8b\x08' },
]

/** No signature extends beyond this number of bytes. */
const headBytes = 12

/**
 * Image types that cannot contain scripts. A script in an SVG or HTML file would run with the rights of the
 * user who opens the file.
 */
const inlineTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
])

export const isShownInline = (type: string): boolean => inlineTypes.has(type)

/**
 * Determines the type of a file from its bytes while they arrive, whatever its name and its content type say.
 */
export interface TypeDetector {
  add(piece: Buffer): void
  /** Called once, after the last piece. */
  end(): string
}

function createTypeDetector(): TypeDetector {
  let head = Buffer.alloc(0)
  // Text is UTF-8 from the first to the last byte, without NUL.
  let isText = true
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const decodes = (piece?: Buffer) => {
    try {
      decoder.decode(piece, { stream: piece !== undefined })
      return true
    } catch {
      return false
    }
  }
  return {
    add(piece) {
      if (head.length < headBytes) head = Buffer.concat([head, piece.subarray(0, headBytes - head.length)])
      isText &&= !piece.includes(0) && decodes(piece)
    },
    end() {
      const latin1 = head.toString('latin1')
      const found = signatures.find(
        ({ bytes, at = 0, andThen }) =>
          latin1.startsWith(bytes, at) &&
          (andThen === undefined || latin1.startsWith(andThen.bytes, andThen.at)),
      )
      if (found) return found.type
      return isText && decodes() ? 'text/plain' : 'application/octet-stream'
    },
  }
}
