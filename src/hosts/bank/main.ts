import { type ChildProcess, fork, type SendHandle } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { localUrl } from '../../config/host-settings.ts'
import type { Settings } from '../../config/settings.ts'
import type { StoreAddress } from '../../db/poolers.ts'
import { createLog } from '../../http/log.ts'
import { startWithRetries } from '../../model/repeat.ts'
import type { MetricsPage } from '../../observability/metrics.ts'
import { type BankSettings, readBankSettings } from './configuration.ts'
import type { InstanceSetup, Report } from './instance.ts'
import { openProcessRequests, type Reply, type SendRequest } from './process-requests.ts'

export interface RunningBank extends SupervisedInstances {
  readonly port: number
}

/** Parses the settings and returns a function that starts the bank on a store with an up-to-date schema. */
export function prepareBank(settings: Settings) {
  const bank = readBankSettings(settings)
  return async (store: StoreAddress | Promise<StoreAddress>) => {
    const log = createLog({ level: bank.logLevel, host: 'bank' })
    const { port, restart, announceStop, stop } = await startBank(store, bank, log)
    const address = localUrl(bank.host, port)
    const restartOnSignal = () => {
      log.info('The instances are being replaced one by one.')
      restart().then(
        () => log.info('The instances have been replaced.'),
        (error) => log.error({ err: error }, 'The instances could not be replaced.'),
      )
    }
    process.on(restartSignal, restartOnSignal)
    return {
      title: 'Bank',
      address,
      announceStop,
      stop() {
        process.off(restartSignal, restartOnSignal)
        return stop()
      },
    }
  }
}

/** SIGHUP is not used, because a closing terminal sends it too. */
const restartSignal = 'SIGUSR2'

/**
 * Starts identical instances behind one port. The operating system assigns each connection to an instance.
 */
export async function startBank(
  store: StoreAddress | Promise<StoreAddress>,
  settings: BankSettings,
  log: Logger,
): Promise<RunningBank> {
  const instances = portSharingPlatforms.has(process.platform) ? settings.instances : 1
  if (instances < settings.instances) log.warn('This system cannot share a port, so there is one instance.')
  const setup = prepareSetup(store, { ...settings, instances })
  const supervised = await superviseInstances(setup, { ...settings, instances }, log)
  return { port: (await setup).settings.port, ...supervised }
}

/** Resolves when the store is open. Until then the instances warm up. */
async function prepareSetup(
  opening: StoreAddress | Promise<StoreAddress>,
  settings: BankSettings,
): Promise<InstanceSetup> {
  const { url, pooler, namedStatements = true } = await opening
  return {
    store: { url, pooler, namedStatements },
    settings: { ...settings, port: await requireFreePort(settings) },
  }
}

/**
 * Platforms on which `reusePort` balances:
 * https://nodejs.org/docs/latest-v24.x/api/net.html#serverlistenoptions-callback
 */
const portSharingPlatforms: ReadonlySet<string> = new Set(['linux', 'freebsd', 'aix', 'sunos'])

/**
 * Rejects if the port is in use. Otherwise, a second bank could share it and receive half of the requests.
 */
async function requireFreePort({ host, port }: BankSettings): Promise<number> {
  const probe = createServer()
  await once(probe.listen({ host, port, exclusive: true }), 'listening')
  const { port: boundPort } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return boundPort
}

interface SupervisedInstances {
  /** The processes that currently listen. */
  pids(): readonly number[]
  /**
   * Replaces the instances one by one without a failed request. A call during a restart causes another one
   * afterwards.
   */
  restart(): Promise<void>
  /** All instances keep serving, but report in health checks that they are about to stop. */
  announceStop(): void
  /** Lets each instance finish its requests. */
  stop(): Promise<void>
}

/**
 * Keeps the instances running. Each is a process that is replaced when it ends. Rejects if one of the first
 * instances cannot start.
 */
async function superviseInstances(
  setup: Promise<InstanceSetup>,
  settings: Pick<BankSettings, 'instances' | 'warmUpRequests'>,
  log: Logger,
): Promise<SupervisedInstances> {
  const running = new Set<Instance>()
  const stopping = new AbortController()
  const listeningInstances = () => [...running].filter(({ isListening }) => isListening)
  const readMetrics = async () => ({ value: await metricsOf(listeningInstances()) })
  const start = async (handle?: SendHandle) => {
    const instance = spawnInstance(settings, readMetrics)
    running.add(instance)
    void instance.ended.then(() => running.delete(instance))
    await waitUntilListening(instance, await setup, handle)
    instance.isListening = true
    return instance
  }
  const keepRunning = async (first: Instance) => {
    let instance: Instance | undefined = first
    while (instance !== undefined) {
      const ending = await instance.ended
      if (stopping.signal.aborted) return
      if (instance.successor === undefined) log.warn({ ending }, 'An instance ended; another one starts.')
      instance = instance.successor ?? (await startWithRetries(start, stopping.signal, log))
    }
  }
  // A rejection is reported by the first start that awaits it.
  setup.catch(() => undefined)
  await fillCompileCache()
  const starts = await Promise.allSettled(Array.from({ length: settings.instances }, () => start()))
  const failed = starts.find((result) => result.status === 'rejected')
  const stopAll = async () => {
    stopping.abort()
    await Promise.all([...running].map(stopInstance))
  }
  if (failed !== undefined) {
    await stopAll()
    throw failed.reason
  }
  for (const result of starts) if (result.status === 'fulfilled') void keepRunning(result.value)
  let restarting = Promise.resolve()
  return {
    pids: () => listeningInstances().flatMap(({ child }) => child.pid ?? []),
    restart() {
      restarting = restarting
        // The caller of the earlier restart handles its error.
        .catch(() => undefined)
        .then(() => replaceAll(listeningInstances(), start, stopping.signal))
      return restarting
    },
    announceStop() {
      // If the message cannot be sent, the process has ended or is about to.
      for (const { sendRequest } of listeningInstances()) sendRequest('announceStop').catch(() => undefined)
    },
    stop: stopAll,
  }
}

/**
 * Passes the socket to the new instance before the old one closes it, so that every connection is accepted.
 */
async function replaceAll(
  instances: readonly Instance[],
  start: (handle?: SendHandle) => Promise<Instance>,
  stopping: AbortSignal,
): Promise<void> {
  for (const instance of instances) {
    if (stopping.aborted) return
    const { handle } = await instance.sendRequest('socket')
    const socket = handle as SendHandle & { close(): void }
    instance.successor = await start(socket).finally(() => socket.close())
    await instance.sendRequest('replace')
    await instance.ended
  }
}

/** Skips instances that do not reply, because they are exiting and would miss the next scrape anyway. */
async function metricsOf(instances: readonly Instance[]): Promise<MetricsPage> {
  const replies = await Promise.allSettled(instances.map(({ sendRequest }) => sendRequest('metrics')))
  return mergeMetrics(
    replies.flatMap((result) => (result.status === 'fulfilled' ? [result.value.value as object] : [])),
  )
}

interface Instance {
  readonly child: ChildProcess
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<string>
  readonly sendRequest: SendRequest
  isListening: boolean
  /** Set if a replacement already runs when this instance ends. */
  successor?: Instance
}

const instanceFile = fileURLToPath(new URL('./instance.ts', import.meta.url))

/**
 * Limits each half of the young generation to 2 MB: an instance retains almost nothing, and the default takes
 * 20 MB more.
 */
const youngGenerationOption = '--max-semi-space-size=2'

function spawnInstance(
  { warmUpRequests }: Pick<BankSettings, 'warmUpRequests'>,
  readMetrics: () => Promise<Reply>,
): Instance {
  const child = fork(instanceFile, [String(warmUpRequests)], {
    execArgv: [youngGenerationOption],
    env: { ...process.env, ...compileCacheEnvironment() },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    // Sending to a process that is exiting also emits an error, and its exit follows. A child without a pid
    // never started.
    child.on('error', ({ message }) => child.pid === undefined && resolve(message))
  })
  return {
    child,
    ended,
    sendRequest: openProcessRequests(child, { metrics: readMetrics }),
    isListening: false,
  }
}

/**
 * Passes on the compile cache of this process. Without loading the TypeScript compiler, an instance starts in
 * half the time and uses 25 MB less.
 */
function compileCacheEnvironment(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) }
}

/** Connecting and warming up take half a second. An unavailable database or a busy machine takes longer. */
const startMilliseconds = 60_000

async function waitUntilListening(
  { child, ended }: Instance,
  setup: InstanceSetup,
  handle?: SendHandle,
): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), startMilliseconds)
  const reported = new Promise<Report>((resolve) =>
    child.on('message', (message) => isReport(message) && resolve(message)),
  )
  child.send(setup, handle, () => {})
  const report = await Promise.race([reported, ended.then((failure) => ({ failure }))])
  clearTimeout(timer)
  if (report === 'listening') return
  child.kill('SIGKILL')
  throw new Error(`An instance of the bank could not be started: ${report.failure}`)
}

const isReport = (message: unknown): message is Report =>
  message === 'listening' || (typeof message === 'object' && message !== null && 'failure' in message)

/** A little longer than an instance takes to cut unfinished requests. */
const stopMilliseconds = 8000

async function stopInstance({ child, ended }: Instance): Promise<void> {
  const killTimer = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds)
  if (child.connected) child.disconnect()
  await ended
  clearTimeout(killTimer)
}

/**
 * Fills the compile cache on the very first start. Otherwise each instance would load the TypeScript compiler
 * and hold 25 MB more for its lifetime.
 */
export async function fillCompileCache(): Promise<void> {
  const directory = getCompileCacheDir()
  if (directory === undefined || readdirSync(directory).length > 0) return
  await import('./instance.ts')
  flushCompileCache()
}

/** Merges all instances into one page, because a scrape reaches an arbitrary instance. */
async function mergeMetrics(instanceMetrics: readonly object[]): Promise<MetricsPage> {
  const { mergedPage } = await import('../../observability/metrics.ts')
  return mergedPage(instanceMetrics)
}
