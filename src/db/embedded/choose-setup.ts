import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { accountsFor, minimalEnvironment, type RunAs } from './accounts.ts'

/** The programs that run the server, their account, and the cluster. */
export interface Setup {
  readonly binaries: string
  /** The major version of the binaries. */
  readonly major: number
  readonly account: RunAs
  readonly cluster: string
}

export const isRoot = () => process.getuid?.() === 0

/** The oldest supported major version of PostgreSQL. */
const majorMin = 15

/** Chooses the first binaries and account that can run, can reach the data, and fit an existing cluster. */
export function chooseSetup(dataDirectory: string, binaries: readonly string[]): Setup {
  const cluster = clusterIn(dataDirectory)
  const setup = findSetup(cluster, binaries)
  if (setup !== undefined) return setup
  const preferred = binaries[0]
  if (preferred !== undefined && isRoot()) {
    const moved = findSetupOutside(dataDirectory, cluster, preferred)
    if (moved !== undefined) return moved
  }
  throw new Error(`${reasonFor(cluster, binaries)} Or set DATABASE_URL to a PostgreSQL server of your own.`)
}

/** Returns the cluster's directory. If `postgres` is a link, the cluster is outside the data directory. */
function clusterIn(dataDirectory: string): string {
  const cluster = join(dataDirectory, 'postgres')
  const isLink = lstatSync(cluster, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? readlinkSync(cluster) : cluster
}

function findSetup(cluster: string, candidates: readonly string[]): Setup | undefined {
  const directory = dirname(cluster)
  const accounts = accountsFor(cluster, { cluster: ownerOf(cluster), directory: ownerOf(directory) ?? 0 })
  for (const binaries of candidates) {
    for (const account of accounts) {
      const major = probe(binaries, account, directory)
      if (major !== undefined && fits(cluster, major)) return { binaries, major, account, cluster }
    }
  }
  return undefined
}

/**
 * Places a new cluster, and a copy of the binaries if necessary, in /var/lib. This is needed if only root can
 * enter the data directory and the system has no user namespaces.
 */
function findSetupOutside(dataDirectory: string, cluster: string, binaries: string): Setup | undefined {
  const link = join(dataDirectory, 'postgres')
  // If `postgres` is a directory and not a link, it already has data, which is never moved.
  if (dirname(cluster) === dataDirectory && existsSync(link)) return undefined
  let home = dirname(cluster)
  if (home === dataDirectory) {
    home = mkdtempSync('/var/lib/tracker-')
    // The link is created first, so that a later start can continue an interrupted one.
    symlinkSync(join(home, 'postgres'), link)
  }
  chmodSync(home, 0o711)
  const direct = findSetup(join(home, 'postgres'), [binaries])
  if (direct !== undefined) return direct
  return findSetup(join(home, 'postgres'), [join(copyBinaries(dirname(binaries), home), 'bin')])
}

/** Returns the major version if this account can run these binaries and enter this directory. */
export function probe(binaries: string, account: RunAs, directory: string): number | undefined {
  const server = programIn(binaries, 'postgres')
  const command =
    process.platform === 'win32'
      ? [server, '--version']
      : [...account.prefix, '/bin/sh', '-c', 'cd "$1" && exec "$0" --version', server, directory]
  const [program = '', ...parameters] = command
  const { stdout } = spawnSync(program, parameters, {
    ...account.user,
    cwd: '/',
    env: minimalEnvironment(),
    encoding: 'utf8',
    timeout: probeMillisecondsMax,
  })
  const major = /^postgres \(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1]
  return major === undefined ? undefined : Number(major)
}

/** The program prints one line. Ten seconds suffice for a disk that has to wake up. */
const probeMillisecondsMax = 10_000

function fits(cluster: string, major: number): boolean {
  const clusterMajor = majorOf(cluster)
  return clusterMajor === undefined ? major >= majorMin : major === clusterMajor
}

const ownerOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.uid

function majorOf(cluster: string): number | undefined {
  const file = join(cluster, 'PG_VERSION')
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined
}

function reasonFor(cluster: string, binaries: readonly string[]): string {
  const clusterMajor = majorOf(cluster)
  if (binaries.length === 0)
    return `No PostgreSQL is packaged for this platform: install PostgreSQL ${majorMin} or newer.`
  if (clusterMajor !== undefined)
    return `No PostgreSQL ${clusterMajor}, which made ${cluster}, can run here and reach it.`
  return `No PostgreSQL can run here: install PostgreSQL ${majorMin} or newer, or start as an ordinary user.`
}

/**
 * Adds links and exec bits that are missing, in place if that is allowed, otherwise in a copy below
 * `copyParent`. npm packages contain no links and may lose their exec bits, and install scripts may be
 * disabled. Returns the directory to use.
 */
export function completeBinaries(native: string, copyParent: string): string {
  try {
    addLinksAndModes(native)
    return native
  } catch (error) {
    if (!isReadOnly(error)) throw error
    return copyBinaries(native, copyParent)
  }
}

/** Copies once per version of the binaries. */
export function copyBinaries(native: string, parent: string): string {
  const target = join(parent, 'postgres-binaries')
  const stamp = stampOf(native)
  if (readStamp(target) !== stamp) replaceCopy(native, target, stamp)
  return join(target, basename(native))
}

function replaceCopy(native: string, target: string, stamp: string): void {
  const staging = `${target}.new`
  rmSync(staging, { recursive: true, force: true })
  // Root creates the copy for another user, who must be able to read it regardless of root's umask.
  const umask = process.umask(0o022)
  try {
    cpSync(native, join(staging, basename(native)), { recursive: true, verbatimSymlinks: true })
  } finally {
    process.umask(umask)
  }
  addLinksAndModes(join(staging, basename(native)))
  writeFileSync(join(staging, 'stamp'), stamp)
  rmSync(target, { recursive: true, force: true })
  renameSync(staging, target)
}

function addLinksAndModes(native: string): void {
  for (const { source, target } of linksOf(native)) {
    const link = join(dirname(native), target)
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined)
      createLink(relative(dirname(target), source), link)
  }
  for (const name of ['postgres', 'initdb', 'pg_ctl']) {
    const program = programIn(join(native, 'bin'), name)
    if ((statSync(program).mode & 0o555) !== 0o555) chmodSync(program, 0o755)
  }
}

interface Link {
  readonly source: string
  readonly target: string
}

function linksOf(native: string): readonly Link[] {
  const list = join(native, 'pg-symlinks.json')
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
}

function createLink(source: string, link: string): void {
  try {
    symlinkSync(source, link)
  } catch (error) {
    // A concurrent start with the same packages has created it.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

const isReadOnly = (error: unknown) => ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

function stampOf(native: string): string {
  const { size, mtimeMs } = statSync(programIn(join(native, 'bin'), 'postgres'))
  return `${native} ${size} ${mtimeMs}`
}

function readStamp(target: string): string | undefined {
  const file = join(target, 'stamp')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

export const programIn = (directory: string, name: string) =>
  join(directory, process.platform === 'win32' ? `${name}.exe` : name)
