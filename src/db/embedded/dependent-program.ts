import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { minimalEnvironment, type RunAs } from './accounts.ts'

/** A program that ends when this process ends, even by kill -9. */
export interface DependentProgram {
  readonly process: ChildProcess
  /** Resolves with a description of how the program ended. Never rejects. */
  readonly exited: Promise<string>
  /** Describes how the program ended; undefined while it runs. */
  exitDescription(): string | undefined
  /** Closes the pipe, which ends the program. */
  terminate(): void
}

type Stream = 'ignore' | 'pipe' | number

/**
 * Starts a program under a shell. The shell reads a pipe that only this process holds open, and ends the
 * program when the pipe closes. Both are detached, so that Ctrl-C in a terminal reaches neither. `runAs.user`
 * is passed to `spawn`; `runAs.prefix`, such as `unshare`, precedes the command.
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
 * Wraps the command in the shell. Windows has no such shell, so the program there may outlive this process;
 * only short programs are started that way.
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
