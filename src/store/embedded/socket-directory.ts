import { createHash } from 'node:crypto'
import { chownSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from './accounts.ts'

/** Where the socket lies: in the cluster, or, when that path is too long for a socket, in a private short folder. */
export function socketDirectoryFor(cluster: string, account: Account): string {
  if (isShort(cluster)) return cluster
  const name = `tracker-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`
  const directory = [tmpdir(), '/tmp'].map((folder) => join(folder, name)).find(isShort) ?? join('/tmp', name)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  requirePrivate(directory, account)
  if (account.user !== undefined) chownSync(directory, account.user.uid, account.user.gid)
  return directory
}

/** As with its process file, PostgreSQL would take any process with the number in a left lock for a living server. */
export const removeLeftSocketLock = (socketDirectory: string) =>
  rmSync(join(socketDirectory, `${socketName}.lock`), { force: true })

const socketName = '.s.PGSQL.5432'

/** Linux takes 107 bytes for the path of a socket, macOS 103; the socket's own name needs 14. */
const isShort = (directory: string) => Buffer.byteLength(directory) <= 103 - `/${socketName}`.length

/** Anybody may make a folder of this name before us, and would then be the one who answers our questions. */
function requirePrivate(directory: string, { user }: Account): void {
  const found = lstatSync(directory)
  const owners = [process.getuid?.(), user?.uid]
  if (found.isDirectory() && owners.includes(found.uid) && (found.mode & 0o077) === 0) return
  throw new Error(
    `${directory} belongs to somebody else or is open to others. Remove it, or set DATA_DIR to a shorter path.`,
  )
}
