import type { Readable } from 'node:stream'
import { overloaded, type Problem } from '../../model/problem.ts'

/** A complete file in the folder of uploads. */
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

/** Keeps files under the ids of their rows. Every method rejects with `unavailable` if the store fails. */
export interface FileStore {
  /** Is equal for instances that share the files. */
  identity(): Promise<string>
  /** Stores the file durably, and takes it out of the folder of uploads. */
  put(id: string, file: UploadedFile): Promise<void>
  /** Fails for a file that is missing or has another size. */
  read(id: string, file: Pick<UploadedFile, 'size'>, range: ByteRange): Promise<Readable>
  /** Succeeds for a file that is missing. */
  delete(id: string): Promise<void>
}

/** The folder, the disk or the service fails, which an operator can repair; nothing was done. */
export const unavailable = (cause: unknown): Problem =>
  overloaded('Files are not available at the moment. Please try again later.', {
    cause,
    retryAfterSeconds: 10,
  })

export const hasOtherSize = (id: string): Error =>
  new Error(`The file of attachment ${id} has another size than its row says.`)
