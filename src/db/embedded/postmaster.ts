import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, minimalEnvironment } from './accounts.ts'

/** The information about a running server that it writes into its cluster. */
export interface Postmaster {
  readonly pid: number
  readonly isReady: boolean
  readonly socketDirectory: string
}

/**
 * https://www.postgresql.org/docs/18/storage-file-layout.html: the fifth line is the folder, the eighth the
 * state.
 */
export function readPostmaster(cluster: string): Postmaster | undefined {
  try {
    const lines = readFileSync(pidFileOf(cluster), 'utf8').split('\n')
    const pid = Number(lines[0])
    return pid > 0
      ? { pid, isReady: lines[7]?.trim() === 'ready', socketDirectory: lines[4] ?? '' }
      : undefined
  } catch {
    return undefined
  }
}

/** False for a zombie, which in many containers is never reaped, and for another program with this number. */
export function isServing(pid: number, cluster: string): boolean {
  return commandOf(pid)?.includes(`postgres -D ${cluster} `) ?? false
}

/** PostgreSQL takes any process with the number in its file for a running server, so the file must go. */
const removePidFile = (cluster: string) => rmSync(pidFileOf(cluster), { force: true })

/** A busy session does not notice that its server was killed, and keeps the cluster from being opened. */
export const endOrphans = (clusterName: string): void =>
  void endAll((command) => command.startsWith(`postgres: ${clusterName}: `), 'SIGQUIT')

/**
 * Ends programs that were making a cluster here when their start was killed, and the shells around them.
 * Returns whether there were any.
 */
export const endMakers = (folder: string): boolean =>
  endAll((command) => command.includes(` -D ${folder} `), 'SIGKILL')

function endAll(isMeant: (command: string) => boolean, signal: NodeJS.Signals): boolean {
  if (process.platform !== 'linux') return false
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const meant = pids.filter((pid) => isMeant(commandOf(pid) ?? ''))
  for (const pid of meant) send(pid, signal)
  return meant.length > 0
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended in the meantime.
  }
}

const pidFileOf = (cluster: string) => join(cluster, 'postmaster.pid')

/** Returns the command line of a running process. */
function commandOf(pid: number): string | undefined {
  try {
    return process.platform === 'linux' ? readProcess(pid) : listProcess(pid)
  } catch {
    return undefined
  }
}

function readProcess(pid: number): string | undefined {
  const isZombie = /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return isZombie ? undefined : readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
}

function listProcess(pid: number): string | undefined {
  const line = execFileSync('ps', ['-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' })
  return line.startsWith('Z') ? undefined : line
}

/** Shuts a server down, and by force when that takes too long. */
export async function endServer(pid: number, isGone: () => boolean): Promise<void> {
  for (const { signal, secondsMax } of escalation) {
    if (isGone()) return
    send(pid, signal)
    if (await waitUntil(isGone, secondsMax)) return
  }
  throw new Error(`PostgreSQL (process ${pid}) cannot be ended.`)
}

/** The owner of this directory has died, so its server is shutting down, or has to be ended here. */
export async function endPreviousServer(cluster: string): Promise<void> {
  const previous = readPostmaster(cluster)
  if (previous === undefined || process.platform === 'win32') return
  await endServer(previous.pid, () => !isServing(previous.pid, cluster))
  if (isTaken(previous.pid)) removePidFile(cluster)
}

/**
 * A fast shutdown writes at most the buffers, which takes a second. An immediate shutdown, which recovery
 * repairs at the next start, gives its sessions five seconds. After SIGKILL only the kernel has work left.
 */
const escalation: readonly { readonly signal: NodeJS.Signals; readonly secondsMax: number }[] = [
  { signal: 'SIGINT', secondsMax: 20 },
  { signal: 'SIGQUIT', secondsMax: 10 },
  { signal: 'SIGKILL', secondsMax: 5 },
]

/** Whether any process, including a zombie, has this number. */
function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Returns false when the condition does not become true in time. */
export async function waitUntil(condition: () => boolean, secondsMax: number): Promise<boolean> {
  const deadline = performance.now() + secondsMax * 1000
  while (!condition()) {
    if (performance.now() > deadline) return false
    await sleep(pollMilliseconds)
  }
  return true
}

/** A start takes about 80 ms and a check 0.05 ms, so finer polling gains nothing. */
const pollMilliseconds = 5

/** A program that ends when this process ends, even by kill -9. */
export interface DependentProgram {
  readonly process: ChildProcess
  /** Describes how it ended; settles once, never rejects. */
  readonly exited: Promise<string>
  /** Undefined while it runs. */
  ending(): string | undefined
  /** Asks the program to end, as the death of this process would. */
  release(): void
}

type Stream = 'ignore' | 'pipe' | number

/**
 * The shell reads a pipe that only this process holds open, and ends the program when the pipe closes. Ctrl-C
 * in a terminal reaches neither shell nor program (detached), and the shell survives a SIGTERM sent to all
 * processes.
 */
export function spawnDependent(
  command: readonly string[],
  account: Account,
  [input, output, errors]: readonly [Stream, Stream, Stream],
): DependentProgram {
  const [program = '', ...parameters] = process.platform === 'win32' ? command : held(account, command)
  const child = spawn(program, parameters, {
    ...account.user,
    cwd: '/',
    env: minimalEnvironment(),
    detached: true,
    stdio: [input, output, errors, 'pipe'],
  })
  const pipe = child.stdio[3] as Socket
  pipe.on('error', () => {})
  pipe.unref()
  child.unref()
  let ending: string | undefined
  const exited = new Promise<string>((resolve) => {
    const settle = (how: string) => {
      ending ??= how
      resolve(ending)
    }
    child.on('error', ({ message }) => settle(message))
    child.on('exit', (code, signal) => settle(describe(code, signal)))
  })
  return { process: child, exited, ending: () => ending, release: () => pipe.destroy() }
}

/** Windows has no such shell, so there only short programs are run this way. */
const held = ({ prefix }: Account, command: readonly string[]) => [
  ...['/bin/sh', '-c', script, 'dependent-program'],
  ...prefix,
  ...command,
]

/**
 * A shell gives background programs no input, so it is passed explicitly. A program that has just started
 * still ignores SIGINT as the shell does, so one signal is not enough; sixty cover the longest orderly
 * shutdown.
 */
const script = `
trap '' HUP INT TERM
exec 4<&0
"$@" <&4 3<&- 4<&- &
program=$!
{
  read -r line <&3
  tries=0
  while [ $tries -lt 60 ] && kill -INT $program; do tries=$((tries + 1)); sleep 1; done
} </dev/null >/dev/null 2>&1 4<&- &
watch=$!
exec 3<&- 4<&-
wait $program
code=$?
kill -KILL $watch
exit $code
`

/** A shell reports a program killed by a signal as 128 plus the number of the signal. */
function describe(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === null) return `killed by ${signal}`
  return code > 128 ? `killed by signal ${code - 128}` : `exit code ${code}`
}
