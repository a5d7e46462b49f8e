import { accessSync, chmodSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface Ownership {
  release(): void
}

/**
 * Ensures that one process at a time owns a data directory. SQLite's lock is the only kernel lock that Node has on
 * every platform. It ends with its process, so killed owners, reused process ids and races do no harm. Nothing else
 * in this process may open the file `postgres.lock`, because closing it would release the lock.
 */
export function acquireOwnership(dataDirectory: string): Ownership {
  // This file is not the lock. It contains the owner's process id for the error message of a second start.
  const ownerFile = join(dataDirectory, 'postgres.owner')
  const lock = openLock(dataDirectory)
  try {
    lock.exec('begin immediate')
    writeFileSync(ownerFile, `${process.pid}\n`, { mode: 0o600 })
    return holdUntilRelease(lock)
  } catch (error) {
    lock.close()
    throw isBusy(error) ? alreadyRunning(dataDirectory, ownerFile) : notWritable(dataDirectory, error)
  }
}

/** Keeps a reference to the lock, which would otherwise be garbage-collected and released. */
function holdUntilRelease(lock: DatabaseSync): Ownership {
  const close = () => lock.close()
  process.once('exit', close)
  const release = () => {
    process.off('exit', close)
    if (lock.isOpen) lock.close()
  }
  return { release }
}

function openLock(dataDirectory: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    const file = join(dataDirectory, 'postgres.lock')
    lock = new DatabaseSync(file, { timeout: 0 })
    // SQLite silently opens a read-only file, and then locks nothing.
    accessSync(file, constants.W_OK)
    // Every account that can read the file could lock it.
    chmodSync(file, 0o600)
    return lock
  } catch (error) {
    lock?.close()
    throw notWritable(dataDirectory, error)
  }
}

/** https://www.sqlite.org/rescode.html#busy */
const busyCode = 5

const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === busyCode

function alreadyRunning(dataDirectory: string, ownerFile: string): Error {
  return new Error(
    `Another server is already using ${dataDirectory} (process ${readOwner(ownerFile)}). ` +
      'Stop it first, or set DATA_DIR to another directory.',
  )
}

function readOwner(ownerFile: string): string {
  try {
    return readFileSync(ownerFile, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}

/** SQLite's own errors are about opening the file, and almost always about its permissions. */
const permissionCodes: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ERR_SQLITE_ERROR'])

function notWritable(dataDirectory: string, cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException
  const problem = permissionCodes.has(code)
    ? `This user cannot write to ${dataDirectory}. Start as the user who created it, or set DATA_DIR to another directory.`
    : `${dataDirectory} cannot be written: ${message}`
  return new Error(problem, { cause })
}
