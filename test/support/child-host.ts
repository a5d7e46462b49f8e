import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ChildHost {
  readonly address: string
  readonly process: ChildProcess
  readonly startedWithinMilliseconds: number
  /** Returns everything that the process has printed so far. */
  output(): string
  /** Sends a signal only to the main process, and awaits its end. Returns its exit code or signal. */
  end(signal: NodeJS.Signals): Promise<number | string>
  /** Sends SIGINT to the whole process group, as a terminal does. */
  pressControlC(): Promise<number | string>
  readonly exited: Promise<number | string>
}

const root = join(import.meta.dirname, '..', '..')

/**
 * Returns a free port below the ports of outgoing connections. Test processes open thousands of connections,
 * which could take the port before the host does. No port is returned twice, nor to two of at most four workers.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portTriesMax; tries += 1) {
    const port = 4 * randomInt(portMin / 4, portMax / 4) + Number(process.env.TEST_WORKER ?? 0)
    if (givenPorts.has(port)) continue
    givenPorts.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`None of ${portTriesMax} ports was free.`)
}

const portMin = 12_000
const portMax = 32_000
const portTriesMax = 20

/** A test may ask for several ports before it listens on the first of them. */
const givenPorts = new Set<number>()

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

export type ChildEnvironment = Readonly<Record<string, string>>

/** Starts these hosts with `src/cli.ts` as a separate process, without waiting until they are ready. */
export function spawnStart(environment: ChildEnvironment, hosts: readonly string[] = ['rest']) {
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, [join(root, 'src', 'cli.ts'), 'start', ...hosts], {
    cwd: root,
    env: {
      ...inherited,
      LOG_LEVEL: 'error',
      SVC_DEMO_DATA: 'false',
      RateLimit__Rest__PermitLimit: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, as in a terminal, where Ctrl-C reaches the database, too.
    detached: true,
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const exited = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    return (code ?? signal) as number | string
  })
  return { process: child, output: () => output, exited }
}

export interface CliResult {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command such as `account list` as a separate process, without a terminal. */
export async function runCli(
  environment: ChildEnvironment,
  args: readonly string[],
  input = '',
): Promise<CliResult> {
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, [join(root, 'src', 'cli.ts'), ...args], {
    cwd: root,
    env: { ...inherited, ...environment },
    stdio: 'pipe',
  })
  running.add(child)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  // A command that reads no input may have ended before this.
  child.stdin.on('error', () => undefined).end(input)
  const [code, signal] = await once(child, 'close')
  running.delete(child)
  return { code: code ?? signal, ...printed }
}

/** Starts the REST host and, if `IDENTITY_PORT` is set, the identity host, and waits until they are ready. */
export async function startChild(environment: ChildEnvironment): Promise<ChildHost> {
  const port = environment.REST_PORT ?? String(await freePort())
  const address = `http://127.0.0.1:${port}`
  const startedAt = performance.now()
  const identityPort = environment.IDENTITY_PORT
  const hasIdentity = identityPort !== undefined
  const hosts = hasIdentity ? ['rest', 'identity'] : ['rest']
  const addresses = hasIdentity ? [address, `http://127.0.0.1:${identityPort}`] : [address]
  const isReady = hasIdentity ? isFullyReady : isServing
  const areAllReady = async () => (await Promise.all(addresses.map(isReady))).every(Boolean)
  const child = spawnStart({ ...environment, REST_PORT: port }, hosts)
  let isDone = false
  void child.exited.then(() => {
    isDone = true
  })
  while (!(await areAllReady())) {
    if (isDone) throw new Error(`The host ended before it was ready:\n${child.output()}`)
    if (performance.now() - startedAt > startSecondsMax * 1000) {
      child.process.kill('SIGKILL')
      throw new Error(`The host was not ready within ${startSecondsMax} s:\n${child.output()}`)
    }
    await sleep(40)
  }
  return {
    ...child,
    address,
    startedWithinMilliseconds: performance.now() - startedAt,
    end(signal) {
      child.process.kill(signal)
      return child.exited
    },
    pressControlC() {
      process.kill(-(child.process.pid ?? 0), 'SIGINT')
      return child.exited
    },
  }
}

const isFullyReady = async (address: string) =>
  (await fetch(`${address}/readyz`).catch(() => undefined))?.status === 200

/** Returns true if the host is ready. Many tests do not need its issuer, so the issuer may be missing. */
export async function isServing(address: string): Promise<boolean> {
  const answer = await fetch(`${address}/readyz`).catch(() => undefined)
  return answer?.status === 200 || (await answer?.json())?.message === 'Not ready: tokens cannot be checked.'
}

/** A first start creates a cluster, which may take long on a busy machine. */
const startSecondsMax = 60

/** The running children. They are killed when this process ends, because a test that fails may not stop them. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
