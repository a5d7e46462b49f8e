import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { errorCodes } from 'fastify'
import { invalid } from '../../model/problem.ts'
import { filesUnavailable, type UploadedFile } from './file-store.ts'
import { createTypeDetector } from './file-types.ts'

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
