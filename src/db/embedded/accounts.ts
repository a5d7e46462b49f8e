import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lchownSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** The account under which the database's programs run: PostgreSQL refuses root. */
export interface Account {
  /** What stands before every command. */
  readonly prefix: readonly string[]
  /** Set when it is another user than this process's. */
  readonly user?: DedicatedUser
}

export interface Owners {
  /** Of the cluster, when there is one. */
  readonly cluster: number | undefined
  /** Of the folder around it. */
  readonly folder: number
}

/**
 * Best first. For root it is a number that no account of the machine has, so that nobody else can become it; an
 * account that others use too, such as nobody, never is one of them.
 */
export function accountsFor(path: string, owners: Owners): readonly Account[] {
  if (process.getuid?.() !== 0) return ordinaryAccounts()
  const { cluster, folder } = owners
  if (cluster === 0) return [namespaced, { prefix: [], user: dedicatedUser(path) }]
  return [{ prefix: [], user: userFor(path, cluster, folder) }, namespaced]
}

/** Somebody's own cluster, in their own folder, stays theirs when root starts it. */
function userFor(path: string, cluster: number | undefined, folder: number): DedicatedUser {
  const stays = cluster !== undefined && (cluster === folder || isDedicated(cluster))
  return stays ? { uid: cluster, gid: cluster } : dedicatedUser(path)
}

/** As whom the files of a new cluster are made: initdb wants to know its own name, which a dedicated user lacks. */
export function makersFor(account: Account): readonly Account[] {
  if (account.user === undefined) return [account]
  return [namespaced, ...idleSystemUsers().map((user) => ({ prefix: [], user }))]
}

/** Nothing of this process's environment may change how the database behaves. */
export const minimalEnvironment = () => ({
  PATH: process.env.PATH,
  LC_ALL: 'C',
  TZ: 'UTC',
  // Windows finds its own libraries by it.
  ...(process.platform === 'win32' && { SystemRoot: process.env.SystemRoot }),
})

const plain: Account = { prefix: [] }

/** In its own user namespace root is an ordinary user who still owns root's files: nothing needs to be opened. */
const namespaced: Account = {
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
}

/** Containers may run as a number that no user has; initdb wants a name. */
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

/** Root gives a folder with all that is in it to the account that will work on it; other accounts keep theirs. */
export function giveTo({ user }: Account, folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = user ?? { uid: 0, gid: 0 }
  if (statSync(folder).uid === uid) return
  // Closed to its former owner, who could put a link where this is about to work; so it is changed last.
  lchownSync(folder, 0, 0)
  giveContents(folder, uid, gid)
  lchownSync(folder, uid, gid)
}

function giveContents(folder: string, uid: number, gid: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    lchownSync(path, uid, gid)
    if (lstatSync(path).isDirectory()) giveContents(path, uid, gid)
  }
}
