import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const thisTree = join(import.meta.dirname, '..')

/**
 * Starts one host as it is deployed, in a separate process, but without the rate limit of REST, and with a log
 * of warnings and errors only. `tree` is the working copy of the host.
 */
export const startHost = (
  name: string,
  environment: Readonly<Record<string, string>>,
  tree = thisTree,
): Promise<ChildProcess> => startHosts([name], environment, tree)

const portOf: Readonly<Record<string, string>> = {
  web: 'WEB_PORT',
  rest: 'REST_PORT',
  identity: 'IDENTITY_PORT',
  commands: 'COMMAND_PORT',
  bank: 'BANK_PORT',
}

/** Starts several hosts in one process; without names, all of them. */
export async function startHosts(
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
  tree = thisTree,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(tree, 'src/cli.ts'), 'start', ...names], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RateLimit__Rest__PermitLimit: '0', LOG_LEVEL: 'warn', ...environment },
  })
  child.stdout.resume()
  const hosts = names.length === 0 ? Object.keys(portOf) : names
  await untilListening(
    child,
    hosts.map((host) => Number(environment[portOf[host] ?? ''])),
  )
  return child
}

const pauseMilliseconds = 5

/**
 * Connects to the ports of all hosts until they are open, because the LOG_LEVEL of a benchmark suppresses the
 * line that reports the ports.
 */
export async function untilListening(child: ChildProcess, ports: readonly number[]): Promise<void> {
  for (const port of ports)
    while (!(await isListening(port))) {
      if (child.exitCode !== null) throw new Error(`The hosts ended with ${child.exitCode}.`)
      await sleep(pauseMilliseconds)
    }
}

/** Returns whether a program listens on the port. */
export async function isListening(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

export async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The process has no output to read.')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return String(line)
}

/** The first process of an embedded store. */
export const postmasterOf = (dataDirectory: string): number =>
  Number(readFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
