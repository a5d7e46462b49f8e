import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Open for the server to write to; the one who opens it closes it after the server has it. */
export interface ServerLog {
  readonly path: string
  readonly handle: number
  /** What was written since it was opened. */
  readNew(): string
  close(): void
}

export function openServerLog(dataDirectory: string): ServerLog {
  const path = join(dataDirectory, 'postgres.log')
  if (existsSync(path) && statSync(path).size > logBytesMax)
    renameSync(path, join(dataDirectory, 'postgres.previous.log'))
  const handle = openSync(path, 'a', 0o600)
  const start = statSync(path).size
  return {
    path,
    handle,
    readNew: () => readFileSync(path).subarray(start).toString(),
    close: () => closeSync(handle),
  }
}

/** Weeks of an ordinary server's log; one older file is kept. */
const logBytesMax = 10 * 1024 * 1024
