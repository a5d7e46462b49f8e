import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const ownTree = join(import.meta.dirname, '..')

/**
 * One host as it is deployed, in a separate process, without its limiter and its log lines; of this working
 * copy or another.
 */
export const startHost = (
  name: string,
  environment: Readonly<Record<string, string>>,
  tree = ownTree,
): Promise<ChildProcess> => startHosts([name], environment, tree)

const portOf: Readonly<Record<string, string>> = {
  web: 'WEB_PORT',
  rest: 'REST_PORT',
  identity: 'IDENTITY_PORT',
  commands: 'COMMAND_PORT',
  bank: 'BANK_PORT',
}

/** No name means all of them. */
export async function startHosts(
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
  tree = ownTree,
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

/** Waits for the ports of all hosts; the line that says so is below the LOG_LEVEL of a benchmark. */
export async function untilListening(child: ChildProcess, ports: readonly number[]): Promise<void> {
  for (const port of ports)
    while (!(await isListening(port))) {
      if (child.exitCode !== null) throw new Error(`The hosts ended with ${child.exitCode}.`)
      await sleep(pauseMilliseconds)
    }
}

async function isListening(port: number): Promise<boolean> {
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
