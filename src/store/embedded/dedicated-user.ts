import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'

export interface DedicatedUser {
  readonly uid: number
  readonly gid: number
}

/**
 * A number that is no account, no group and in nobody's range of subordinate numbers: no process of another user can
 * have it. It follows from the path, so that a start that was cut short finds the same one.
 */
export function dedicatedUser(path: string): DedicatedUser {
  const start = createHash('sha256').update(path).digest().readUInt32BE(0)
  for (let step = 0; step < rangeSize; step += 1) {
    const id = rangeStart + ((start + step) % rangeSize)
    if (isDedicated(id)) return { uid: id, gid: id }
  }
  throw new Error(`Every number from ${rangeStart} to ${rangeStart + rangeSize - 1} is an account here.`)
}

/** Above the numbers that systems give to accounts and services, below those they lend to containers. */
const rangeStart = 70_000
const rangeSize = 30_000

export const isDedicated = (id: number): boolean =>
  id >= rangeStart &&
  id < rangeStart + rangeSize &&
  !isKnown('passwd', id) &&
  !isKnown('group', id) &&
  !isLent(id)

/** `getent` knows the accounts of directory services too; where it is missing, the file has to do. */
function isKnown(database: 'passwd' | 'group', id: number): boolean {
  if (linesOf(`/etc/${database}`).some((line) => line.split(':')[2] === String(id))) return true
  return spawnSync('getent', [database, String(id)], { timeout: getentMillisecondsMax }).status === 0
}

/** A directory service that is away. */
const getentMillisecondsMax = 5000

/** The ranges out of which users may take numbers for containers of their own. */
const isLent = (id: number): boolean =>
  ['/etc/subuid', '/etc/subgid'].flatMap(linesOf).some((line) => {
    const [, first = Number.NaN, count = 0] = line.split(':').map(Number)
    return id >= first && id < first + count
  })

/** Accounts of the system that nobody signs in to and that run nothing now; never the one that anything may be. */
export function idleSystemUsers(): readonly DedicatedUser[] {
  const busy = runningUsers()
  return linesOf('/etc/passwd').flatMap((line) => {
    const [name, , uid = '', gid = '', , , shell = ''] = line.split(':')
    const user = { uid: Number(uid), gid: Number(gid) }
    const isIdle = /\/(nologin|false)$/.test(shell) && name !== 'nobody' && !busy.has(user.uid)
    return isIdle && user.uid > 0 && user.uid < systemUserEnd && user.gid > 0 ? [user] : []
  })
}

const systemUserEnd = 1000

function runningUsers(): ReadonlySet<number> {
  if (!existsSync('/proc')) return new Set()
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return new Set(pids.flatMap((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? []))
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}
