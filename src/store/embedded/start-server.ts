import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { askForNothing, askForPassword, asksFor } from './access-rules.ts'
import type { Setup } from './choose-setup.ts'
import { type DependentProgram, spawnDependent } from './dependent-program.ts'
import { endServer } from './end-server.ts'
import { giveTo } from './give-to.ts'
import { findPassword, keepNewPassword } from './password.ts'
import { endOrphans, isServing, readPostmaster } from './postmaster.ts'
import { programIn } from './program-in.ts'
import { openServerLog } from './server-log.ts'
import { setPassword } from './set-password.ts'
import { removeLeftSocketLock, socketDirectoryFor } from './socket-directory.ts'
import { waitUntil } from './wait-until.ts'

/** PostgreSQL's own settings, by name. */
export type Settings = Readonly<Record<string, string | number>>

export interface Server {
  readonly url: string
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly dataDirectory: string
  readonly settings: Settings
  readonly onExit: (reason: string) => void
}

export async function startServer(
  setup: Setup,
  { dataDirectory, settings, onExit }: ServerOptions,
): Promise<Server> {
  const { cluster, account } = setup
  // The same cluster may have been made by a start that had to run as somebody else.
  giveTo(account, cluster)
  const socketDirectory = socketDirectoryFor(cluster, account)
  removeLeftSocketLock(socketDirectory)
  const kept = findPassword(dataDirectory)
  const isProtected = kept !== undefined && asksFor(cluster, kept)
  if (!isProtected) askForNothing(setup)
  const command = commandFor(setup, { ...settingsFor(setup, socketDirectory), ...settings })
  const { program, pid, logPath } = await startUntilReady(setup, command, dataDirectory)
  let isStopping = false
  void program.exited.then((ending) => {
    if (!isStopping) onExit(`The database ended unexpectedly (${ending}). Its log is ${logPath}.`)
  })
  const stop = async () => {
    isStopping = true
    await endServer(pid, () => program.ending() !== undefined && !isServing(pid, cluster))
    if (socketDirectory !== cluster) rmSync(socketDirectory, { recursive: true, force: true })
  }
  const password = isProtected ? kept : keepNewPassword(dataDirectory)
  try {
    if (!isProtected) await setPassword(socketDirectory, password, () => askForPassword(setup, password))
  } catch (error) {
    await stop()
    throw error
  }
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
    // Compiling pays for long analyses only, and makes the first of our short queries slow.
    jit: 'off',
    // Three processes less, which would only read ahead on disk what here fits the memory.
    ...(major >= 18 ? { io_method: 'sync' } : {}),
  }
}

/** Stands in the title of each of the server's processes. */
const clusterNameOf = (cluster: string) =>
  `tracker-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`

function commandFor({ binaries, cluster }: Setup, settings: Settings): readonly string[] {
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return [programIn(binaries, 'postgres'), '-D', cluster, ...parameters]
}

interface Started {
  readonly program: DependentProgram
  readonly pid: number
  readonly logPath: string
}

/** Sessions of a killed server may hold the cluster's shared memory for a moment. */
async function startUntilReady(
  setup: Setup,
  command: readonly string[],
  dataDirectory: string,
): Promise<Started> {
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
        `The database did not start (${program.ending()}). The end of ${log.path}:\n${lastLines(text)}`,
      )
    }
    endOrphans(clusterNameOf(setup.cluster))
    await sleep(orphanPauseMilliseconds)
  }
}

/** They are killed at once; the kernel may need seconds to write out what a big one held. */
const orphanSecondsMax = 10
const orphanPauseMilliseconds = 50

async function waitForReady(program: DependentProgram, cluster: string): Promise<number | undefined> {
  let pid: number | undefined
  const isDecided = () => {
    const found = readPostmaster(cluster)
    if (found?.isReady && isServing(found.pid, cluster)) pid = found.pid
    return pid !== undefined || program.ending() !== undefined
  }
  if (await waitUntil(isDecided, readySecondsMax)) return pid
  program.release()
  throw new Error(`The database was not ready in ${readySecondsMax} seconds.`)
}

/** After a crash it replays at most a gigabyte of its journal, which takes a slow disk minutes. */
const readySecondsMax = 300

const lastLines = (text: string) => text.trim().split('\n').slice(-10).join('\n')
