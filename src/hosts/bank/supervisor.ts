import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../http/log.ts'
import type { Assignment, Report } from './instance.ts'

export interface Supervised {
  /** The processes that listen at the moment. */
  pids(): readonly number[]
  /** Lets each finish what it is working on. */
  stop(): Promise<void>
}

/** Keeps the instances running, each a process of its own that is replaced when it ends. Rejects when the first start fails. */
export async function superviseInstances(assignment: Assignment, log: Log): Promise<Supervised> {
  const running = new Set<Instance>()
  const stopping = new AbortController()
  const start = async () => {
    const instance = spawnInstance()
    running.add(instance)
    void instance.ended.then(() => running.delete(instance))
    await listening(instance, assignment)
    instance.isListening = true
    return instance
  }
  const keepRunning = async (first: Instance) => {
    let instance: Instance | undefined = first
    while (instance !== undefined) {
      const ending = await instance.ended
      if (stopping.signal.aborted) return
      log.warn({ ending }, 'an instance ended, another one starts')
      instance = await startAgain(start, stopping.signal, log)
    }
  }
  const stop = async () => {
    stopping.abort()
    await Promise.all([...running].map(endInOrder))
  }
  const starts = await Promise.allSettled(Array.from({ length: assignment.settings.instances }, start))
  const failed = starts.find((result) => result.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  for (const result of starts) if (result.status === 'fulfilled') void keepRunning(result.value)
  const pids = () => [...running].flatMap(({ child, isListening }) => (isListening && child.pid) || [])
  return { pids, stop }
}

interface Instance {
  readonly child: ChildProcess
  /** Resolves with how it ended. */
  readonly ended: Promise<string>
  isListening: boolean
}

const program = fileURLToPath(new URL('./instance.ts', import.meta.url))

function spawnInstance(): Instance {
  const child = fork(program, [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    // A message to a dying process leads here too, and its exit follows; without a number it never lived.
    child.on('error', ({ message }) => child.pid === undefined && resolve(message))
  })
  return { child, ended, isListening: false }
}

/** Connecting and warming up take half a second; waiting for a database that is away, some more. */
const startMilliseconds = 30_000

async function listening({ child, ended }: Instance, assignment: Assignment): Promise<void> {
  const tooLong = setTimeout(() => child.kill('SIGKILL'), startMilliseconds)
  const reported = new Promise<Report>((resolve) => child.once('message', resolve as () => void))
  child.send(assignment, () => {})
  const report = await Promise.race([reported, ended.then((failure) => ({ failure }))])
  clearTimeout(tooLong)
  if (report === 'listening') return
  child.kill('SIGKILL')
  throw new Error(`An instance of the bank could not be started: ${report.failure}`)
}

/** Between starts that fail, doubled each time: the database may be away for long. */
const pauseMilliseconds = { first: 100, max: 5000 }

/** Goes on until one starts, or until nothing is to be started any more. */
async function startAgain(
  start: () => Promise<Instance>,
  stopping: AbortSignal,
  log: Log,
): Promise<Instance | undefined> {
  for (let pause = pauseMilliseconds.first; ; pause = Math.min(2 * pause, pauseMilliseconds.max)) {
    try {
      return await start()
    } catch (error) {
      if (!stopping.aborted) log.error({ err: error }, 'an instance could not be started')
      await sleep(pause, undefined, { signal: stopping }).catch(() => undefined)
      if (stopping.aborted) return undefined
    }
  }
}

/** A little longer than an instance takes to cut what it cannot finish. */
const stopMilliseconds = 8000

async function endInOrder({ child, ended }: Instance): Promise<void> {
  const tooLong = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds)
  if (child.connected) child.disconnect()
  await ended
  clearTimeout(tooLong)
}
