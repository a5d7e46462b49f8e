import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { minimalEnvironment, type RunAs } from './accounts.ts'

/** A program that ends when this process ends, even by kill -9. */
export interface DependentProgram {
  readonly process: ChildProcess
  /** Resolves with a description of how the program ended. Never rejects. */
  readonly exited: Promise<string>
  /** Describes how the program ended, or undefined while it runs. */
  exitDescription(): string | undefined
  /** Closes the pipe, which ends the program. */
  terminate(): void
}

type Stream = 'ignore' | 'pipe' | number

/**
 * Starts a program under a shell. The shell reads a pipe of this process, and ends the program when the pipe
 * closes. Both are detached, so Ctrl-C in a terminal reaches neither. `runAs.prefix`, for example `unshare`,
 * precedes the command.
 */
export function spawnDependent(
  command: readonly string[],
  runAs: RunAs,
  [input, output, errors]: readonly [Stream, Stream, Stream],
): DependentProgram {
  const [program = '', ...parameters] = process.platform === 'win32' ? command : wrapInShell(runAs, command)
  const child = spawn(program, parameters, {
    ...runAs.user,
    cwd: '/',
    env: minimalEnvironment(),
    detached: true,
    stdio: [input, output, errors, 'pipe'],
  })
  const pipe = child.stdio[3] as Socket
  pipe.on('error', () => {})
  pipe.unref()
  child.unref()
  let exitDescription: string | undefined
  const exited = new Promise<string>((resolve) => {
    const settle = (description: string) => {
      exitDescription ??= description
      resolve(exitDescription)
    }
    child.on('error', ({ message }) => settle(message))
    child.on('exit', (code, signal) => settle(describeExit(code, signal)))
  })
  return { process: child, exited, exitDescription: () => exitDescription, terminate: () => pipe.destroy() }
}

/**
 * Wraps the command in the shell. On Windows, there is no shell, and the program may outlive this process, so
 * only short programs are started with `spawnDependent`.
 */
const wrapInShell = ({ prefix }: RunAs, command: readonly string[]) => [
  '/bin/sh',
  '-c',
  script,
  'dependent-program',
  ...prefix,
  ...command,
]

/**
 * File descriptor 3 is the pipe that closes when this process ends, and 4 is a copy of the input for the
 * program, because a shell gives background programs no input.
 */
const script = `
# The shell outlives Ctrl-C and a SIGTERM to all processes, so that it can end the program in order.
trap '' HUP INT TERM
exec 4<&0
"$@" <&4 3<&- 4<&- &
program=$!
# The watcher waits until the pipe closes, and then ends the program. A program that has just started still ignores
# SIGINT, as the shell does, so the signal is repeated. Sixty seconds cover the longest shutdown.
{
  read -r line <&3
  tries=0
  while [ $tries -lt 60 ] && kill -INT $program; do tries=$((tries + 1)); sleep 1; done
} </dev/null >/dev/null 2>&1 4<&- &
watcher=$!
# Only the watcher and the program keep these open.
exec 3<&- 4<&-
# Waits for the end of the program. The watcher is no longer needed afterwards.
wait $program
code=$?
kill -KILL $watcher
exit $code
`

/** Describes an exit. If a signal ended the program, its shell exits with 128 plus the number of the signal. */
function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === null) return `killed by ${signal}`
  return code > 128 ? `killed by signal ${code - 128}` : `exit code ${code}`
}

export interface Postmaster {
  readonly pid: number
  readonly isReady: boolean
  readonly socketDirectory: string
}

/**
 * Reads `postmaster.pid`. Line 1 is the process id, line 5 the directory of the socket, and line 8 the state
 * (https://www.postgresql.org/docs/18/storage-file-layout.html).
 */
export function readPostmaster(clusterDirectory: string): Postmaster | undefined {
  try {
    const lines = readFileSync(pidFileOf(clusterDirectory), 'utf8').split('\n')
    const pid = Number(lines[0])
    return pid > 0
      ? { pid, isReady: lines[7]?.trim() === 'ready', socketDirectory: lines[4] ?? '' }
      : undefined
  } catch {
    return undefined
  }
}

/** Returns whether the process with this id is the server of the cluster. A zombie does not count. */
export function isServerOf(pid: number, clusterDirectory: string): boolean {
  return commandOf(pid)?.includes(`postgres -D ${clusterDirectory} `) ?? false
}

/** PostgreSQL does not start while any process has the id in this file. */
const removePidFile = (clusterDirectory: string) => rmSync(pidFileOf(clusterDirectory), { force: true })

/**
 * Ends the remaining processes of a server that was killed. A busy process would prevent a new server from
 * starting.
 */
export const endOrphans = (clusterName: string): void =>
  void signalAll((command) => command.startsWith(`postgres: ${clusterName}: `), 'SIGQUIT')

/** Kills initdb and its child processes after an interrupted start. Returns whether any was running. */
export const endInitdbPrograms = (clusterDirectory: string): boolean =>
  signalAll((command) => command.includes(` -D ${clusterDirectory} `), 'SIGKILL')

function signalAll(matches: (command: string) => boolean, signal: NodeJS.Signals): boolean {
  if (process.platform !== 'linux') return false
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const matching = pids.filter((pid) => matches(commandOf(pid) ?? ''))
  for (const pid of matching) sendSignal(pid, signal)
  return matching.length > 0
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended in the meantime.
  }
}

const pidFileOf = (clusterDirectory: string) => join(clusterDirectory, 'postmaster.pid')

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

/** Shuts a server down, if necessary by force. */
export async function endServer(pid: number, isGone: () => boolean): Promise<void> {
  for (const { signal, secondsMax } of escalation) {
    if (isGone()) return
    sendSignal(pid, signal)
    if (await waitUntil(isGone, secondsMax)) return
  }
  throw new Error(`PostgreSQL (process ${pid}) cannot be ended.`)
}

/** Ends the server that an earlier process of this program left running. */
export async function endPreviousServer(clusterDirectory: string): Promise<void> {
  const previous = readPostmaster(clusterDirectory)
  if (previous === undefined || process.platform === 'win32') return
  await endServer(previous.pid, () => !isServerOf(previous.pid, clusterDirectory))
  // Another program or a zombie has the id, so the pid file is stale.
  if (isRunning(previous.pid)) removePidFile(clusterDirectory)
}

/**
 * SIGINT requests a fast shutdown, which writes the buffers. SIGQUIT requests an immediate shutdown, which
 * requires recovery at the next start.
 */
const escalation: readonly { readonly signal: NodeJS.Signals; readonly secondsMax: number }[] = [
  { signal: 'SIGINT', secondsMax: 20 },
  { signal: 'SIGQUIT', secondsMax: 10 },
  { signal: 'SIGKILL', secondsMax: 5 },
]

/** Returns whether any process, including a zombie, has this id. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Waits until the condition is true. Returns false if that takes too long. */
export async function waitUntil(condition: () => boolean, secondsMax: number): Promise<boolean> {
  const deadline = performance.now() + secondsMax * 1000
  while (!condition()) {
    if (performance.now() > deadline) return false
    await sleep(pollMilliseconds)
  }
  return true
}

/** A start takes about 80 ms and a check takes 0.05 ms. */
const pollMilliseconds = 5
