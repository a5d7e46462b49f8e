import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lchownSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * The user of the operating system that runs the programs of the database. PostgreSQL does not run as root.
 */
export interface RunAs {
  /** The beginning of every command. */
  readonly prefix: readonly string[]
  /** Set if it differs from the user of this process. */
  readonly user?: UserAndGroup
}

export interface Owners {
  /** The owner of the cluster, if there is one. */
  readonly cluster: number | undefined
  /** The owner of the surrounding directory. */
  readonly directory: number
}

/**
 * Returns the ways to run the database, ordered by preference. Root runs it as another user (`userFor`) or in a
 * user namespace. The namespace is preferred if root owns the cluster.
 */
export function accountsFor(path: string, owners: Owners): readonly RunAs[] {
  if (process.getuid?.() !== 0) return ordinaryAccounts()
  const { cluster, directory } = owners
  if (cluster === 0) return [namespaced, { prefix: [], user: dedicatedUser(path) }]
  return [{ prefix: [], user: userFor(path, cluster, directory) }, namespaced]
}

/**
 * Keeps the cluster's owner if it also owns the surrounding directory or is a dedicated user. Otherwise, for
 * example for a shared account such as nobody, returns a dedicated user.
 */
function userFor(path: string, cluster: number | undefined, directory: number): UserAndGroup {
  const isKept = cluster !== undefined && (cluster === directory || isDedicated(cluster))
  return isKept ? { uid: cluster, gid: cluster } : dedicatedUser(path)
}

/**
 * Returns the accounts that can run initdb. It needs a user with a name, which a dedicated user does not
 * have.
 */
export function initdbAccounts(account: RunAs): readonly RunAs[] {
  if (account.user === undefined) return [account]
  return [namespaced, ...idleSystemUsers().map((user) => ({ prefix: [], user }))]
}

/** Returns a minimal environment. Variables of this process could change how the database behaves. */
export function minimalEnvironment(): NodeJS.ProcessEnv {
  const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
  if (process.platform !== 'win32') return environment
  // Windows needs this variable to find its libraries.
  return { ...environment, SystemRoot: process.env.SystemRoot }
}

const ownAccount: RunAs = { prefix: [] }

/**
 * In a user namespace, root is an ordinary user who still owns the files of root. The user is called nobody
 * inside the namespace.
 */
const namespaced: RunAs = {
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
}

/** In a container, the user id may have no account. initdb requires a name, so it runs in a namespace. */
function ordinaryAccounts(): readonly RunAs[] {
  try {
    userInfo()
    return [ownAccount]
  } catch {
    return [namespaced, ownAccount]
  }
}

interface UserAndGroup {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns a user and a group with the same number. No account, group or range of subordinate ids contains the
 * number, so no other user has it. It is derived from the path, so every start finds the same number.
 */
export function dedicatedUser(path: string): UserAndGroup {
  const start = createHash('sha256').update(path).digest().readUInt32BE(0)
  for (let step = 0; step < rangeSize; step += 1) {
    const id = rangeStart + ((start + step) % rangeSize)
    if (isDedicated(id)) return { uid: id, gid: id }
  }
  throw new Error(`Every number from ${rangeStart} to ${rangeStart + rangeSize - 1} is an account here.`)
}

/** The range above the ids of accounts and below the ids of containers. */
const rangeStart = 70_000
const rangeSize = 30_000

export const isDedicated = (id: number): boolean =>
  id >= rangeStart &&
  id < rangeStart + rangeSize &&
  !isAccount('passwd', id) &&
  !isAccount('group', id) &&
  !isSubordinateId(id)

/** Reads the file and runs `getent`, which knows the accounts of directory services. */
function isAccount(database: 'passwd' | 'group', id: number): boolean {
  if (linesOf(`/etc/${database}`).some((line) => line.split(':')[2] === String(id))) return true
  return spawnSync('getent', [database, String(id)], { timeout: getentMillisecondsMax }).status === 0
}

/** A directory service may not answer. */
const getentMillisecondsMax = 5000

/** Returns whether users may use the id for their containers. */
const isSubordinateId = (id: number): boolean =>
  ['/etc/subuid', '/etc/subgid'].flatMap(linesOf).some((line) => {
    const [, first = Number.NaN, count = 0] = line.split(':').map(Number)
    return id >= first && id < first + count
  })

/**
 * Returns system accounts that cannot log in and run no process. Excludes nobody, because unrelated programs
 * share it.
 */
export function idleSystemUsers(): readonly UserAndGroup[] {
  const busy = runningUsers()
  return linesOf('/etc/passwd').flatMap((line) => {
    const [name, , uid = '', gid = '', , , shell = ''] = line.split(':')
    const user = { uid: Number(uid), gid: Number(gid) }
    const isIdle = /\/(nologin|false)$/.test(shell) && name !== 'nobody' && !busy.has(user.uid)
    return isIdle && user.uid > 0 && user.uid < systemUserEnd && user.gid > 0 ? [user] : []
  })
}

/** Linux distributions assign ids from 1000 on to people. */
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

/**
 * Makes the account the owner of a directory and its contents. Does nothing unless this process runs as root.
 */
export function changeOwner({ user }: RunAs, directory: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = user ?? { uid: 0, gid: 0 }
  if (statSync(directory).uid === uid) return
  // Root owns the directory during the change, so that the former owner cannot add a link.
  lchownSync(directory, 0, 0)
  changeOwnerOfContents(directory, uid, gid)
  lchownSync(directory, uid, gid)
}

function changeOwnerOfContents(directory: string, uid: number, gid: number): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    lchownSync(path, uid, gid)
    if (lstatSync(path).isDirectory()) changeOwnerOfContents(path, uid, gid)
  }
}
