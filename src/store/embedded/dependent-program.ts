import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { type Account, minimalEnvironment } from './accounts.ts'

/** A program that ends when this process ends, even by kill -9. */
export interface DependentProgram {
  readonly process: ChildProcess
  /** How it ended; settles once, never rejects. */
  readonly exited: Promise<string>
  /** Undefined while it runs. */
  ending(): string | undefined
  /** Asks the program to end, as the death of this process would. */
  release(): void
}

type Stream = 'ignore' | 'pipe' | number

/**
 * The shell reads a pipe that only this process holds open, and ends the program when the pipe closes. Ctrl-C in a terminal
 * reaches neither shell nor program (detached), and the shell outlives a SIGTERM that is sent to everything.
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

/** Windows has no such shell: there, only short programs are run like this. */
const held = ({ prefix }: Account, command: readonly string[]) => [
  ...['/bin/sh', '-c', script, 'dependent-program'],
  ...prefix,
  ...command,
]

/**
 * A shell gives background programs no input, so it is handed over by hand. A program that has just begun still
 * ignores SIGINT as the shell does, so one is not enough; sixty fit the longest orderly shutdown.
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

/** A shell reports a program killed by a signal as 128 and the signal's number. */
function describe(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === null) return `killed by ${signal}`
  return code > 128 ? `killed by signal ${code - 128}` : `exit code ${code}`
}
