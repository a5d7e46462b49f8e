import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeOwner, type RunAs } from './accounts.ts'
import { programIn, type Setup } from './choose-setup.ts'
import {
  createPassword,
  findPassword,
  requiresPassword,
  setPassword,
  trustLocalConnections,
} from './password.ts'
import {
  type DependentProgram,
  endOrphans,
  endServer,
  isServerOf,
  readPostmaster,
  spawnDependent,
  waitUntil,
} from './processes.ts'

/** PostgreSQL's own settings, by name. */
export type Settings = Readonly<Record<string, string | number>>

interface Server {
  readonly url: string
  stop(): Promise<void>
}

interface ServerOptions {
  readonly dataDirectory: string
  readonly settings: Settings
  /** Called if the server ends by itself after it has started. A failed start rejects instead. */
  readonly onExit: (reason: string) => void
}

export async function startServer(
  setup: Setup,
  { dataDirectory, settings, onExit }: ServerOptions,
): Promise<Server> {
  const { cluster, account } = setup
  // An earlier start may have created the cluster as another user.
  changeOwner(account, cluster)
  const socketDirectory = socketDirectoryFor(cluster, account)
  removeStaleSocketLock(socketDirectory)
  const knownPassword = findPassword(dataDirectory)
  const isProtected = knownPassword !== undefined && requiresPassword(cluster, knownPassword)
  if (!isProtected) trustLocalConnections(setup)
  const command = commandFor(setup, { ...settingsFor(setup, socketDirectory), ...settings })
  const { program, pid, logPath } = await startUntilReady(setup, command, dataDirectory)
  const isGone = () => program.exitDescription() !== undefined && !isServerOf(pid, cluster)
  let isStopping = false
  const stop = async () => {
    isStopping = true
    await endServer(pid, isGone)
    if (socketDirectory !== cluster) rmSync(socketDirectory, { recursive: true, force: true })
  }
  const password = isProtected ? knownPassword : createPassword(dataDirectory)
  try {
    if (!isProtected) await setPassword(setup, socketDirectory, password)
  } catch (error) {
    await stop()
    throw error
  }
  void program.exited.then((ending) => {
    if (!isStopping) onExit(`The database ended unexpectedly (${ending}). Its log is ${logPath}.`)
  })
  return { url: storeUrl(socketDirectory, password), stop }
}

export const storeUrl = (socketDirectory: string, password: string): string =>
  `postgresql://tracker:${password}@/tracker?host=${encodeURIComponent(socketDirectory)}&port=5432`

function settingsFor({ cluster, major }: Setup, socketDirectory: string): Settings {
  return {
    cluster_name: clusterNameOf(cluster),
    listen_addresses: '',
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: 5432,
    max_connections: 100,
    shared_buffers: '64MB',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    // Compilation pays off only for long analytical queries.
    jit: 'off',
    // PostgreSQL 18 would start three more processes. They help only if the data does not fit in memory.
    ...(major >= 18 ? { io_method: 'sync' } : {}),
  }
}

/** The titles of all processes of the server contain this name. */
const clusterNameOf = (cluster: string) =>
  `tracker-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`

function commandFor({ binaries, cluster }: Setup, settings: Settings): readonly string[] {
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return [programIn(binaries, 'postgres'), '-D', cluster, ...parameters]
}

interface StartedServer {
  /** The shell that runs the server and ends it with this process. */
  readonly program: DependentProgram
  /** The process id of the server itself, a child of the shell. */
  readonly pid: number
  readonly logPath: string
}

/** Starts the server, and retries while sessions of a killed server hold the cluster's shared memory. */
async function startUntilReady(
  setup: Setup,
  command: readonly string[],
  dataDirectory: string,
): Promise<StartedServer> {
  const deadline = performance.now() + orphanSecondsMax * 1000
  for (;;) {
    const log = openServerLog(dataDirectory)
    const program = spawnDependent(command, setup.account, ['ignore', log.handle, log.handle])
    log.close()
    const pid = await waitForReady(program, setup.cluster)
    if (pid !== undefined) return { program, pid, logPath: log.path }
    const text = log.readNew()
    if (!text.includes('pre-existing shared memory block') || performance.now() > deadline) {
      throw new Error(
        `The database did not start (${program.exitDescription()}). The end of ${log.path}:\n${lastLines(text)}`,
      )
    }
    endOrphans(clusterNameOf(setup.cluster))
    await sleep(orphanPauseMilliseconds)
  }
}

/** The kernel may need seconds to release the memory of a killed session. */
const orphanSecondsMax = 10
const orphanPauseMilliseconds = 50

/** Returns the process id of the server, or undefined if the program has ended. */
async function waitForReady(program: DependentProgram, cluster: string): Promise<number | undefined> {
  let pid: number | undefined
  const isReadyOrEnded = () => {
    const found = readPostmaster(cluster)
    if (found?.isReady && isServerOf(found.pid, cluster)) pid = found.pid
    return pid !== undefined || program.exitDescription() !== undefined
  }
  if (await waitUntil(isReadyOrEnded, readySecondsMax)) return pid
  program.terminate()
  throw new Error(`The database was not ready in ${readySecondsMax} seconds.`)
}

/** After a crash the server replays up to a gigabyte of its journal. This takes minutes on a slow disk. */
const readySecondsMax = 300

const lastLines = (text: string) => text.trim().split('\n').slice(-10).join('\n')

interface ServerLog {
  readonly path: string
  /** The server inherits the handle. This process then closes its own. */
  readonly handle: number
  /** Returns the text that was written since the log was opened. */
  readNew(): string
  close(): void
}

function openServerLog(dataDirectory: string): ServerLog {
  const path = join(dataDirectory, 'postgres.log')
  if (existsSync(path) && statSync(path).size > logBytesMax)
    renameSync(path, join(dataDirectory, 'postgres.previous.log'))
  const handle = openSync(path, 'a', 0o600)
  const start = statSync(path).size
  return {
    path,
    handle,
    readNew: () => readFileSync(path).subarray(start).toString(),
    close: () => closeSync(handle),
  }
}

/** A server usually takes weeks to write this much. */
const logBytesMax = 10 * 1024 * 1024

/** Returns the directory of the cluster, or creates a private directory if the cluster's path is too long. */
export function socketDirectoryFor(cluster: string, account: RunAs): string {
  if (isShort(cluster)) return cluster
  const name = clusterNameOf(cluster)
  const preferred = join(tmpdir(), name)
  const directory = isShort(preferred) ? preferred : join('/tmp', name)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  requirePrivate(directory, account)
  if (account.user !== undefined) chownSync(directory, account.user.uid, account.user.gid)
  return directory
}

/** A stale lock file prevents a start if another program now has the process id in the file. */
const removeStaleSocketLock = (socketDirectory: string) =>
  rmSync(join(socketDirectory, `${socketName}.lock`), { force: true })

const socketName = '.s.PGSQL.5432'

/** Linux allows 107 bytes for the path of a socket, macOS 103. */
const isShort = (directory: string) => Buffer.byteLength(directory) <= 103 - `/${socketName}`.length

/** If another user has created the directory, that user could receive the connections. */
function requirePrivate(directory: string, { user }: RunAs): void {
  const found = lstatSync(directory)
  const owners = [process.getuid?.(), user?.uid]
  if (found.isDirectory() && owners.includes(found.uid) && (found.mode & 0o077) === 0) return
  throw new Error(
    `${directory} belongs to another user or is open to others. Remove it, or set DATA_DIR to a shorter path.`,
  )
}

/**
 * Starts the server with `pg_ctl`. The server listens on TCP, on 127.0.0.1 only. If this process is killed,
 * the server runs until the next start. This function was never tested on Windows.
 */
export async function startWindowsServer(
  setup: Setup,
  { dataDirectory, settings }: ServerOptions,
): Promise<Server> {
  const { binaries, cluster } = setup
  const control = (...parameters: string[]) =>
    spawnSync(programIn(binaries, 'pg_ctl'), [...parameters, '-D', cluster, '-w'], { stdio: 'ignore' })
      .status === 0
  control('stop', '-m', 'fast')
  const port = await findFreePort()
  const defaults = { listen_addresses: '127.0.0.1', port, timezone: 'UTC', shared_buffers: '64MB' }
  const options = Object.entries({ ...defaults, ...settings }).map(([name, value]) => `-c ${name}=${value}`)
  const log = join(dataDirectory, 'postgres.log')
  if (!control('start', '-l', log, '-o', options.join(' ')))
    throw new Error(`The database did not start: see ${log}.`)
  // On Windows, `createCluster` creates no database `tracker`.
  const url = `postgresql://tracker:${findPassword(dataDirectory)}@127.0.0.1:${port}/postgres`
  const stop = async () => {
    control('stop', '-m', 'fast')
  }
  return { url, stop }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
