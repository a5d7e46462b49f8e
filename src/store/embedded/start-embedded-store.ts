import { mkdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chooseSetup, isRoot } from './choose-setup.ts'
import { endPreviousServer } from './end-server.ts'
import { installedBinaries } from './find-binaries.ts'
import { keepRunning } from './keep-running.ts'
import { isCluster, makeCluster, removeHalfMade } from './make-cluster.ts'
import { takeOwnership } from './owner-lock.ts'
import { findPassword } from './password.ts'
import { isServing, readPostmaster } from './postmaster.ts'
import { type Settings, startServer, storeUrl } from './start-server.ts'
import { startWindowsServer } from './start-windows-server.ts'

export interface EmbeddedStore {
  /** For `pg` and psql; a new one at every start. */
  readonly url: string
  /** Ends the database in order; may be called twice. */
  stop(): Promise<void>
}

export interface EmbeddedStoreOptions {
  /** The project's DATA_DIR: the cluster lives in its folder `postgres`, the log is `postgres.log`. */
  readonly dataDirectory: string
  readonly settings?: Settings
  /** Called when the database has ended although nobody asked it to, and when it runs again. */
  readonly onFault?: (sentence: string) => void
  /** Folders with `postgres` and `initdb`, best first, instead of the installed ones. */
  readonly binaryDirectories?: readonly string[]
}

/**
 * Starts the PostgreSQL that comes with the packages. It ends with this process, whatever ends this process
 * (on Windows, which is untested, only with `stop`).
 */
export async function startEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const { settings = {}, onFault = () => {} } = options
  const dataDirectory = prepareDirectory(options.dataDirectory)
  const ownership = takeOwnership(dataDirectory)
  try {
    const setup = chooseSetup(dataDirectory, options.binaryDirectories ?? installedBinaries(dataDirectory))
    await removeHalfMade(setup)
    await endPreviousServer(setup.cluster)
    if (!isCluster(setup.cluster)) await makeCluster(setup, settings)
    const start = process.platform === 'win32' ? startWindowsServer : startServer
    const server = await keepRunning((onExit) => start(setup, { dataDirectory, settings, onExit }), onFault)
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

/** Of the server that another process of the same user has started and keeps running; nothing while none runs. */
export function runningStoreUrl(dataDirectory: string): string | undefined {
  const cluster = join(resolve(dataDirectory), 'postgres')
  const running = readPostmaster(cluster)
  const password = findPassword(dataDirectory)
  if (!running?.isReady || password === undefined || !isServing(running.pid, realpathSync(cluster)))
    return undefined
  return storeUrl(running.socketDirectory, password)
}

function prepareDirectory(dataDirectory: string): string {
  // Root's database runs as another user, who must be able to pass through.
  mkdirSync(dataDirectory, { recursive: true, mode: isRoot() ? 0o711 : 0o700 })
  return realpathSync(dataDirectory)
}
