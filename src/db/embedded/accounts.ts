import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lchownSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** The account under which the database's programs run: PostgreSQL refuses to run as root. */
export interface Account {
  /** Prepended to every command. */
  readonly prefix: readonly string[]
  /** Set when it differs from the user of this process. */
  readonly user?: DedicatedUser
}

export interface Owners {
  /** The owner of the cluster, if there is one. */
  readonly cluster: number | undefined
  /** The owner of the folder around it. */
  readonly folder: number
}

/**
 * Ordered by preference. Root uses a user id without an account, which no other process can take; shared
 * accounts, such as nobody, are never used.
 */
export function accountsFor(path: string, owners: Owners): readonly Account[] {
  if (process.getuid?.() !== 0) return ordinaryAccounts()
  const { cluster, folder } = owners
  if (cluster === 0) return [namespaced, { prefix: [], user: dedicatedUser(path) }]
  return [{ prefix: [], user: userFor(path, cluster, folder) }, namespaced]
}

/** When root starts a cluster that belongs to the owner of its folder, that owner keeps it. */
function userFor(path: string, cluster: number | undefined, folder: number): DedicatedUser {
  const stays = cluster !== undefined && (cluster === folder || isDedicated(cluster))
  return stays ? { uid: cluster, gid: cluster } : dedicatedUser(path)
}

/**
 * The accounts that may make the files of a new cluster: initdb needs the name of its user, which a dedicated
 * user lacks.
 */
export function makersFor(account: Account): readonly Account[] {
  if (account.user === undefined) return [account]
  return [namespaced, ...idleSystemUsers().map((user) => ({ prefix: [], user }))]
}

/** Excludes this process's environment, which could change how the database behaves. */
export const minimalEnvironment = () => ({
  PATH: process.env.PATH,
  LC_ALL: 'C',
  TZ: 'UTC',
  // Windows finds its own libraries through this variable.
  ...(process.platform === 'win32' && { SystemRoot: process.env.SystemRoot }),
})

const plain: Account = { prefix: [] }

/**
 * In its own user namespace root is an ordinary user who still owns root's files, so their permissions can
 * stay closed.
 */
const namespaced: Account = {
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
}

/** Containers may run as a user id without a user, while initdb requires a name. */
function ordinaryAccounts(): readonly Account[] {
  try {
    userInfo()
    return [plain]
  } catch {
    return [namespaced, plain]
  }
}

interface DedicatedUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns a number that is no account, no group and in no range of subordinate ids, so no process of another
 * user can have it. It is derived from the path, so that a restart after an interruption finds the same one.
 */
export function dedicatedUser(path: string): DedicatedUser {
  const start = createHash('sha256').update(path).digest().readUInt32BE(0)
  for (let step = 0; step < rangeSize; step += 1) {
    const id = rangeStart + ((start + step) % rangeSize)
    if (isDedicated(id)) return { uid: id, gid: id }
  }
  throw new Error(`Every number from ${rangeStart} to ${rangeStart + rangeSize - 1} is an account here.`)
}

/** Above the numbers that systems assign to accounts and services, below those assigned to containers. */
const rangeStart = 70_000
const rangeSize = 30_000

export const isDedicated = (id: number): boolean =>
  id >= rangeStart &&
  id < rangeStart + rangeSize &&
  !isKnown('passwd', id) &&
  !isKnown('group', id) &&
  !isTaken(id)

/** `getent` also knows the accounts of directory services; without it, the file has to do. */
function isKnown(database: 'passwd' | 'group', id: number): boolean {
  if (linesOf(`/etc/${database}`).some((line) => line.split(':')[2] === String(id))) return true
  return spawnSync('getent', [database, String(id)], { timeout: getentMillisecondsMax }).status === 0
}

/** Limits the wait for a directory service that does not answer. */
const getentMillisecondsMax = 5000

/** The ranges from which users may take numbers for their own containers. */
const isTaken = (id: number): boolean =>
  ['/etc/subuid', '/etc/subgid'].flatMap(linesOf).some((line) => {
    const [, first = Number.NaN, count = 0] = line.split(':').map(Number)
    return id >= first && id < first + count
  })

/** System accounts without a login that run no process now, except nobody, which unrelated programs share. */
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

/** Gives a folder and its contents to the account that will use it. Only root can, so other users change no owner. */
export function changeOwner({ user }: Account, folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = user ?? { uid: 0, gid: 0 }
  if (statSync(folder).uid === uid) return
  // Closes the folder to its former owner, who could otherwise plant a link during the change; for the same
  // reason its owner is set last.
  lchownSync(folder, 0, 0)
  changeOwnerOfContents(folder, uid, gid)
  lchownSync(folder, uid, gid)
}

function changeOwnerOfContents(folder: string, uid: number, gid: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    lchownSync(path, uid, gid)
    if (lstatSync(path).isDirectory()) changeOwnerOfContents(path, uid, gid)
  }
}
