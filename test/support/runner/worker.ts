import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { memoryFolder } from '../memory-folder.ts'
import { type Counts, noCounts } from './counts.ts'
import type { FileTime } from './file-seconds.ts'
import type { Report } from './report.ts'
import type { TestLog } from './test-log.ts'

interface WorkerOptions {
  /** A number from 0 to 3. Each worker has ports of its own. */
  readonly number: number
  readonly root: string
  /** Receives the output of the tests. If undefined, the output goes to the terminal. */
  readonly log: TestLog | undefined
  show(text: string): void
}

export interface WorkerResult {
  readonly counts: Counts
  readonly fileTimes: readonly FileTime[]
  readonly exitCode: number
}

/** The slowest tests take seconds, so one that takes this long hangs. */
const testSecondsMax = 120

export interface Worker {
  readonly result: Promise<WorkerResult>
  kill(signal: NodeJS.Signals): boolean
}

/** Runs files in one process, one after another, to start the store and load modules only once. */
export function startWorker(files: readonly string[], { number, root, log, show }: WorkerOptions): Worker {
  const output = log ? 'pipe' : 'inherit'
  const child = spawn(process.execPath, workerArguments, {
    cwd: root,
    stdio: ['ignore', output, output, 'pipe'],
    env: {
      // Four Argon2 computations would fill the default pool, and delay files and DNS. Node reads this
      // variable once, at its start.
      UV_THREADPOOL_SIZE: '8',
      // With the cache, hosts that tests start load their modules in half the time.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
      ...(memoryFolder !== undefined && { TMPDIR: memoryFolder }),
      ...process.env,
      TEST_FILES: JSON.stringify(files),
      TEST_WORKER: String(number),
    },
  })
  if (log) for (const stream of [child.stdout, child.stderr]) stream?.pipe(log.stream, { end: false })
  const result = collect(child.stdio[3] as Readable, show)
  const finish = async (): Promise<WorkerResult> => {
    const [[code, signal], { counts, fileTimes, running }] = await Promise.all([once(child, 'close'), result])
    if (counts === undefined)
      show(`✖ The process that runs the tests ended (${signal ?? code}) in ${running}\n\n`)
    const exitCode: number = code ?? 128 + constants.signals[signal as NodeJS.Signals]
    return {
      counts: counts ?? { ...noCounts, tests: 1, fail: 1 },
      fileTimes,
      exitCode: counts === undefined ? exitCode || 1 : exitCode,
    }
  }
  return { result: finish(), kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

const workerArguments = [
  `--import=${join(import.meta.dirname, 'tracked-promises.ts')}`,
  // An open handle of a test must not keep the process alive.
  '--test-force-exit',
  `--test-timeout=${testSecondsMax * 1000}`,
  `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
  '--test-reporter-destination=stdout',
  join(import.meta.dirname, 'load-files.ts'),
]

async function collect(reports: Readable, show: (text: string) => void) {
  const fileTimes: FileTime[] = []
  let counts: Counts | undefined
  let running = 'no file yet'
  for await (const line of createInterface({ input: reports })) {
    const report: Report = JSON.parse(line)
    if (report.kind === 'text') show(report.text)
    if (report.kind === 'start') running = report.file
    if (report.kind === 'file') fileTimes.push({ file: report.file, seconds: report.seconds })
    if (report.kind === 'end') counts = report.counts
  }
  return { fileTimes, counts, running }
}
