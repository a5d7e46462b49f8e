import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** As whom the database's programs run: PostgreSQL refuses root. */
export interface Account {
  /** What stands before every command. */
  readonly prefix: readonly string[]
  /** Set when it is another user than this process's. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

/** Best first. `owner` is the user whose cluster it is already. */
export function accountsFor(owner: number | undefined): readonly Account[] {
  if (process.getuid?.() !== 0) return ordinaryAccounts()
  const unprivileged = ['postgres', 'nobody'].flatMap(findUser)
  if (owner === undefined) return [...unprivileged, namespaced]
  if (owner === 0) return [namespaced, ...unprivileged]
  const known = unprivileged.filter(({ user }) => user?.uid === owner)
  const own = known.length > 0 ? known : [{ prefix: [], user: { uid: owner, gid: owner } }]
  return [...own, ...unprivileged, namespaced]
}

/** Nothing of this process's environment may change how the database behaves. */
export const minimalEnvironment = () => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' })

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

function findUser(name: string): Account[] {
  const line = readUsers().find((user) => user.startsWith(`${name}:`))
  const [uid = 0, gid = 0] = (line ?? '').split(':').slice(2, 4).map(Number)
  return uid > 0 && gid > 0 ? [{ prefix: [], user: { uid, gid } }] : []
}

function readUsers(): readonly string[] {
  try {
    return readFileSync('/etc/passwd', 'utf8').split('\n')
  } catch {
    return []
  }
}
