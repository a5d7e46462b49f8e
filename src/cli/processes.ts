import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { RateLimitSettings } from '../config/host-settings.ts'
import type { StoreAddress } from '../db/poolers.ts'
import { openProcessRequests, type Reply, type SendRequest } from '../hosts/bank/process-requests.ts'
import { createRateLimiter, type RateLimiter } from '../http/rate-limiter.ts'
import { startWithRetries } from '../model/repeat.ts'
import type { WorkerPeers } from '../model/worker-peers.ts'
import type { RunningHost } from './hosts.ts'
import { runOnce } from './shared-store.ts'

/** The first message to a worker, which then starts its hosts. */
export interface WorkerStartMessage {
  readonly address: StoreAddress
  readonly processes: number
}

type HostDescription = Pick<RunningHost, 'title' | 'address' | 'pages'>

/** The message of a worker after it has started or failed. */
export type StartReport = { readonly hosts: readonly HostDescription[] } | { readonly failure: string }

export interface ProcessOptions {
  readonly hosts: readonly string[]
  readonly processes: number
  readonly address: StoreAddress
  /** The rate limits by host. Each applies to all processes together. */
  readonly rateLimits: Readonly<Record<string, RateLimitSettings>>
  readonly log: Logger
}

interface WorkerProcess {
  readonly child: ChildProcess
  /** Resolves with the signal or the exit code, as a text. */
  readonly ended: Promise<string>
  readonly sendRequest: SendRequest
  /** Empty until the worker has started. */
  hosts: readonly HostDescription[]
}

/**
 * Starts workers that share the ports of the hosts. This process accepts connections and assigns them to the
 * workers in rotation. A worker that exits is replaced. Rejects if one of the first workers does not start.
 */
export async function superviseProcesses(options: ProcessOptions): Promise<readonly RunningHost[]> {
  const { hosts, processes, address, log } = options
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../cli.ts', import.meta.url)),
    args: ['worker', ...hosts],
  })
  const running = new Set<WorkerProcess>()
  const stopping = new AbortController()
  const limiters = new Map(
    Object.entries(options.rateLimits).map(([host, limits]) => [host, createRateLimiter(limits)]),
  )
  const handlers = Object.fromEntries(
    hosts.map((host) => [metricsRequestName(host), () => collectMetrics(host, running)]),
  )
  const start = async () => {
    const worker = forkWorker(handlers, limiters)
    running.add(worker)
    void worker.ended.then(() => running.delete(worker))
    worker.hosts = await waitUntilListening(worker, { address, processes })
    return worker
  }
  const keepRunning = async (first: WorkerProcess) => {
    let worker: WorkerProcess | undefined = first
    while (worker !== undefined) {
      const ending = await worker.ended
      if (stopping.signal.aborted) return
      log.warn({ ending, pid: worker.child.pid }, 'A process of the hosts ended; another one starts.')
      worker = await startWithRetries(start, stopping.signal, log)
    }
  }
  const stop = runOnce(async () => {
    stopping.abort()
    await Promise.all([...running].map(stopWorker))
    for (const limiter of limiters.values()) limiter.close()
  })
  const starts = await Promise.allSettled(Array.from({ length: processes }, start))
  const failed = starts.find((result) => result.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  const started = starts.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  for (const worker of started) void keepRunning(worker)
  const announceStop = () => {
    // If the message cannot be sent, the worker has ended or is about to, so there is nothing to announce.
    for (const { sendRequest } of running) sendRequest('announceStop').catch(() => undefined)
  }
  return (started[0]?.hosts ?? []).map((host, index) => ({
    ...host,
    // One message makes a worker announce the stop of all its hosts.
    announceStop: index === 0 ? announceStop : () => undefined,
    stop,
  }))
}

const metricsRequestName = (host: string): string => `metrics of ${host}`

/** Collects the metrics of a host from all workers. A worker that does not reply is about to exit. */
async function collectMetrics(host: string, running: ReadonlySet<WorkerProcess>): Promise<Reply> {
  const listening = [...running].filter(({ hosts }) => hosts.length > 0)
  const replies = await Promise.allSettled(
    listening.map(({ sendRequest }) => sendRequest(metricsRequestName(host))),
  )
  return {
    value: replies.flatMap((result) => (result.status === 'fulfilled' ? [result.value.value as object] : [])),
  }
}

function forkWorker(
  handlers: Readonly<Record<string, () => Promise<Reply>>>,
  limiters: ReadonlyMap<string, RateLimiter>,
): WorkerProcess {
  const { process: child } = cluster.fork()
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? `exit code ${code}`))
  // A message to a worker that is exiting causes this event. `ended` reports the exit.
  child.on('error', () => undefined)
  serveRateLimits(child, ended, limiters)
  return { child, ended, sendRequest: openProcessRequests(child, handlers), hosts: [] }
}

/** Workers acquire and cancel permits of a rate limit. The supervisor grants or rejects them (`settle`). */
type PermitMessage =
  | { readonly kind: 'acquire'; readonly permit: number; readonly host: string; readonly address: string }
  | { readonly kind: 'cancel'; readonly permit: number }
  | { readonly kind: 'settle'; readonly permit: number; readonly retryAfterSeconds: number | undefined }

/** Acquires permits for a worker, so that each limit applies to all workers together. */
function serveRateLimits(
  child: ChildProcess,
  ended: Promise<unknown>,
  limiters: ReadonlyMap<string, RateLimiter>,
): void {
  const waiting = new Map<number, () => void>()
  child.on('message', (message: PermitMessage | undefined) => {
    if (message?.kind === 'cancel') {
      waiting.get(message.permit)?.()
      waiting.delete(message.permit)
    }
    if (message?.kind !== 'acquire') return
    const { permit, host, address } = message
    const settle = (retryAfterSeconds?: number) => {
      waiting.delete(permit)
      const answer: PermitMessage = { kind: 'settle', permit, retryAfterSeconds }
      if (child.connected) child.send(answer, () => undefined)
    }
    const admission = limiters.get(host)?.acquire(address, settle)
    if (admission?.kind === 'waiting') waiting.set(permit, admission.cancel)
    else settle(admission?.kind === 'rejected' ? admission.retryAfterSeconds : undefined)
  })
  void ended.then(() => {
    for (const cancel of waiting.values()) cancel()
  })
}

/** The worker's end of the channel to the supervisor. */
export interface PeerChannel {
  readonly peers: WorkerPeers
  report(report: StartReport): void
}

/** Opens the channel. `handlers` reply to the supervisor's requests, by the names of the requests. */
export function openPeerChannel(
  hosts: readonly string[],
  handlers: Readonly<Record<string, () => Reply>>,
): PeerChannel {
  const ownMetrics = new Map<string, () => Promise<object[]>>()
  const metricsHandlers = Object.fromEntries(
    hosts.map((host) => [
      metricsRequestName(host),
      async () => ({ value: (await ownMetrics.get(host)?.()) ?? [] }),
    ]),
  )
  const sendRequest = openProcessRequests(process, { ...handlers, ...metricsHandlers })
  // An error means that the supervisor has ended. This process then ends as well.
  const send = (message: PermitMessage | StartReport) =>
    void (process.connected && process.send?.(message, undefined, {}, () => undefined))
  const waiting = new Map<number, (retryAfterSeconds?: number) => void>()
  let lastPermit = 0
  process.on('message', (message: PermitMessage | undefined) => {
    if (message?.kind !== 'settle') return
    const settle = waiting.get(message.permit)
    waiting.delete(message.permit)
    settle?.(message.retryAfterSeconds)
  })
  return {
    report: send,
    peers: {
      limiter: (host) => ({
        acquire(address, settle) {
          lastPermit += 1
          const permit = lastPermit
          waiting.set(permit, settle)
          send({ kind: 'acquire', permit, host, address })
          return () => void (waiting.delete(permit) && send({ kind: 'cancel', permit }))
        },
      }),
      shareMetrics(host, own) {
        ownMetrics.set(host, own)
        return async () => (await sendRequest(metricsRequestName(host))).value as readonly object[]
      },
    },
  }
}

/** Usually, loading the hosts and the first queries take a second. A busy machine takes longer. */
const startMilliseconds = 60_000

async function waitUntilListening(
  { child, ended }: WorkerProcess,
  startMessage: WorkerStartMessage,
): Promise<readonly HostDescription[]> {
  const timer = setTimeout(() => child.kill('SIGKILL'), startMilliseconds)
  const reported = new Promise<StartReport>((resolve) =>
    child.on('message', (message: StartReport | null) => {
      if (message !== null && ('hosts' in message || 'failure' in message)) resolve(message)
    }),
  )
  child.send(startMessage, () => undefined)
  const report = await Promise.race([reported, ended.then((failure) => ({ failure }))])
  clearTimeout(timer)
  if ('hosts' in report) return report.hosts
  child.kill('SIGKILL')
  throw new Error(report.failure)
}

/** Longer than any host takes to finish its requests, and shorter than `stopSecondsMax` in `start.ts`. */
const stopMilliseconds = 15_000

async function stopWorker({ child, ended, sendRequest }: WorkerProcess): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds)
  sendRequest('stop').catch(() => undefined)
  await ended
  clearTimeout(timer)
}
