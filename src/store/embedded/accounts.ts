import { userInfo } from 'node:os'
import { type DedicatedUser, dedicatedUser, idleSystemUsers, isDedicated } from './dedicated-user.ts'

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
