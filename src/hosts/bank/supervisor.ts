import { type ChildProcess, fork, type SendHandle } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { MetricsPage } from '../../observability/metrics.ts'
import type { BankSettings } from './configuration.ts'
import type { Assignment, Report } from './instance.ts'
import { mergeMeasures } from './measures.ts'
import { type Ask, openQuestions, type Reply } from './questions.ts'

export interface Supervised {
  /** The processes that currently listen. */
  pids(): readonly number[]
  /**
   * Replaces the instances one by one without a failed request. A call during a restart runs another one
   * afterwards.
   */
  restart(): Promise<void>
  /** All instances keep serving, but report in health checks that they are about to stop. */
  leave(): void
  /** Lets each instance finish its requests. */
  stop(): Promise<void>
}

/**
 * Keeps the instances running; each is a process that is replaced when it ends. Rejects if the first start
 * fails.
 */
export async function superviseInstances(
  assignment: Promise<Assignment>,
  settings: Pick<BankSettings, 'instances' | 'warmUpRequests'>,
  log: Logger,
): Promise<Supervised> {
  const running = new Set<Instance>()
  const stopping = new AbortController()
  const listeningOnes = () => [...running].filter(({ isListening }) => isListening)
  const readMeasures = async () => ({ value: await measuresOf(listeningOnes()) })
  const start = async (handle?: SendHandle) => {
    const instance = spawnInstance(settings, readMeasures)
    running.add(instance)
    void instance.ended.then(() => running.delete(instance))
    await listening(instance, await assignment, handle)
    instance.isListening = true
    return instance
  }
  const keepRunning = async (first: Instance) => {
    let instance: Instance | undefined = first
    while (instance !== undefined) {
      const ending = await instance.ended
      if (stopping.signal.aborted) return
      if (instance.successor === undefined) log.warn({ ending }, 'An instance ended; another one starts.')
      instance = instance.successor ?? (await restart(start, stopping.signal, log))
    }
  }
  // A rejection is reported by the first start that awaits it.
  assignment.catch(() => undefined)
  await compileFirst()
  const starts = await Promise.allSettled(Array.from({ length: settings.instances }, () => start()))
  const failed = starts.find((result) => result.status === 'rejected')
  const endAll = async () => {
    stopping.abort()
    await Promise.all([...running].map(endInOrder))
  }
  if (failed !== undefined) {
    await endAll()
    throw failed.reason
  }
  for (const result of starts) if (result.status === 'fulfilled') void keepRunning(result.value)
  let restarting = Promise.resolve()
  return {
    pids: () => listeningOnes().flatMap(({ child }) => child.pid ?? []),
    restart() {
      restarting = restarting
        .catch(() => undefined)
        .then(() => replaceAll(listeningOnes(), start, stopping.signal))
      return restarting
    },
    leave() {
      // If the message cannot be sent, the process has ended or is about to.
      for (const { ask } of listeningOnes()) ask('leave').catch(() => undefined)
    },
    stop: endAll,
  }
}

/**
 * The new instance takes over the socket before the old one releases it, so every connection is accepted by
 * one of them.
 */
async function replaceAll(
  instances: readonly Instance[],
  start: (handle?: SendHandle) => Promise<Instance>,
  stopping: AbortSignal,
): Promise<void> {
  for (const instance of instances) {
    if (stopping.aborted) return
    const { handle } = await instance.ask('socket')
    const socket = handle as SendHandle & { close(): void }
    instance.successor = await start(socket).finally(() => socket.close())
    await instance.ask('replace')
    await instance.ended
  }
}

/** Skips instances that do not reply: one that is exiting would be missing from the next scrape anyway. */
async function measuresOf(instances: readonly Instance[]): Promise<MetricsPage> {
  const replies = await Promise.allSettled(instances.map(({ ask }) => ask('measures')))
  return mergeMeasures(
    replies.flatMap((result) => (result.status === 'fulfilled' ? [result.value.value as object] : [])),
  )
}

interface Instance {
  readonly child: ChildProcess
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<string>
  readonly ask: Ask
  isListening: boolean
  /** Set if a replacement already runs when this instance ends. */
  successor?: Instance
}

const program = fileURLToPath(new URL('./instance.ts', import.meta.url))

/**
 * The young generation in megabytes: an instance retains almost nothing, and a larger one only costs 20 MB
 * more.
 */
const youngGeneration = '--max-semi-space-size=2'

function spawnInstance(
  { warmUpRequests }: Pick<BankSettings, 'warmUpRequests'>,
  readMeasures: () => Promise<Reply>,
): Instance {
  const child = fork(program, [String(warmUpRequests)], {
    execArgv: [youngGeneration],
    env: { ...process.env, ...compileCache() },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    // Sending to a process that is exiting also emits an error, and its exit follows; a child without a pid
    // never started.
    child.on('error', ({ message }) => child.pid === undefined && resolve(message))
  })
  return { child, ended, ask: openQuestions(child, { measures: readMeasures }), isListening: false }
}

/**
 * Passed on if this process has one: without loading the TypeScript compiler, an instance starts in half the
 * time and uses 25 MB less.
 */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/** Connecting and warming up take half a second; an unavailable database or a busy machine takes longer. */
const startMilliseconds = 60_000

async function listening(
  { child, ended }: Instance,
  assignment: Assignment,
  handle?: SendHandle,
): Promise<void> {
  const tooLong = setTimeout(() => child.kill('SIGKILL'), startMilliseconds)
  const reported = new Promise<Report>((resolve) =>
    child.on('message', (message) => isReport(message) && resolve(message)),
  )
  child.send(assignment, handle, () => {})
  const report = await Promise.race([reported, ended.then((failure) => ({ failure }))])
  clearTimeout(tooLong)
  if (report === 'listening') return
  child.kill('SIGKILL')
  throw new Error(`An instance of the bank could not be started: ${report.failure}`)
}

const isReport = (message: unknown): message is Report =>
  message === 'listening' || (typeof message === 'object' && message !== null && 'failure' in message)

/** The pause between failed starts, doubled each time: the database may be unavailable for long. */
const pauseMilliseconds = { first: 100, max: 5000 }

/** Retries until a start succeeds or the supervisor stops. */
async function restart(
  start: () => Promise<Instance>,
  stopping: AbortSignal,
  log: Logger,
): Promise<Instance | undefined> {
  for (let pause = pauseMilliseconds.first; ; pause = Math.min(2 * pause, pauseMilliseconds.max)) {
    try {
      return await start()
    } catch (error) {
      if (!stopping.aborted) log.error({ err: error }, 'An instance could not be started.')
      await sleep(pause, undefined, { signal: stopping }).catch(() => undefined)
      if (stopping.aborted) return undefined
    }
  }
}

/** A little longer than an instance takes to cut unfinished requests. */
const stopMilliseconds = 8000

async function endInOrder({ child, ended }: Instance): Promise<void> {
  const tooLong = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds)
  if (child.connected) child.disconnect()
  await ended
  clearTimeout(tooLong)
}

/**
 * On the very first start the compile cache is empty. This process fills it, because otherwise each instance
 * would load the TypeScript compiler and hold 25 MB more for its lifetime.
 */
export async function compileFirst(): Promise<void> {
  const folder = getCompileCacheDir()
  if (folder === undefined || readdirSync(folder).length > 0) return
  await import('./instance.ts')
  flushCompileCache()
}
