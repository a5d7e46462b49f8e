import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

const fileIn = (dataDirectory: string) => join(dataDirectory, 'postgres.password')

/** Returns the password of the cluster's only role; undefined if it is missing or incomplete. */
export function findPassword(dataDirectory: string): string | undefined {
  const file = fileIn(dataDirectory)
  if (!existsSync(file)) return undefined
  // A copied or restored file may be readable by others.
  chmodSync(file, 0o600)
  const password = readFileSync(file, 'utf8').trim()
  return /^[0-9a-f]{48}$/.test(password) ? password : undefined
}

export function createPassword(dataDirectory: string): string {
  const password = randomBytes(24).toString('hex')
  replaceFile(fileIn(dataDirectory), `${password}\n`)
  return password
}

/** Writes the whole file or nothing, readable by its owner only, and never through a planted link. */
export function replaceFile(file: string, text: string, prepare?: (handle: number) => void): void {
  const staging = `${file}.new`
  rmSync(staging, { force: true })
  const handle = openSync(staging, 'wx', 0o600)
  try {
    prepare?.(handle)
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(staging, file)
}

export function passwordArguments(dataDirectory: string): readonly string[] {
  if (findPassword(dataDirectory) === undefined) createPassword(dataDirectory)
  return ['--auth=scram-sha-256', `--pwfile=${fileIn(dataDirectory)}`]
}
