import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { addCounts, countLines, noCounts } from './support/runner/counts.ts'
import { recordedSeconds, recordSeconds } from './support/runner/file-seconds.ts'
import { shareFiles } from './support/runner/share-files.ts'
import { openTestLog } from './support/runner/test-log.ts'
import { startWorker, type Worker, type WorkerResult } from './support/runner/worker.ts'

/**
 * `npm test` runs all tests except the long tests in `.long.test.ts`, and `npm test -- .long.` runs those.
 * `npm test -- lockout journeys '!mails'` selects files by words in their path, without the files after a
 * `!`. `npm test -- --record` also records how long each file took, and later runs distribute the files by
 * these times.
 */
const given = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const words = given.filter((word) => !word.startsWith('!'))
const leftOut = given.filter((word) => word.startsWith('!')).map((word) => word.slice(1))
const isRecording = process.argv.includes('--record')
const root = join(import.meta.dirname, '..')
const files = globSync('{src,test,clients,bench}/**/*.test.ts', { cwd: root })
  .filter((file) =>
    words.length === 0 ? !file.includes('.long.') : words.some((word) => file.includes(word)),
  )
  .filter((file) => !leftOut.some((word) => file.includes(word)))
  .sort()

if (files.length === 0) {
  console.error(`No test file's path contains ${words.join(' or ')}.`)
  process.exit(1)
}

/**
 * Each worker starts its own store. Some files mostly wait, so there is one more worker than cores. A store
 * of several nodes has only one worker, because tests that wait until there are no writes would wait for
 * other workers.
 */
const workersMax = process.env.TEST_DATABASE_WORKERS ? 1 : Math.min(4, availableParallelism() + 1)

const startedAt = performance.now()
// With words, only a few files run, and their output is shown.
const log = given.length === 0 ? openTestLog() : undefined
const workers = new Set<Worker>()

// Stopping the runner stops the tests, which then stop their databases.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const worker of workers) worker.kill(signal)
  })
}

const { counts, fileTimes, exitCode } = await run(shareFiles(files, workersMax, recordedSeconds()))
const hasPassed = exitCode === 0
if (isRecording && hasPassed) recordSeconds(fileTimes)
await log?.close(hasPassed)
if (log && !hasPassed) console.log(`What the tests and their hosts printed: ${log.path}\n`)
console.log(countLines(counts, performance.now() - startedAt))
process.exitCode = exitCode

async function run(shares: readonly (readonly string[])[]): Promise<WorkerResult> {
  const show = (text: string) => process.stdout.write(text)
  const started = shares.map((share, number) => startWorker(share, { number, root, log, show }))
  for (const worker of started) workers.add(worker)
  const results = await Promise.all(started.map(({ result }) => result))
  for (const worker of started) workers.delete(worker)
  return {
    counts: results.map(({ counts }) => counts).reduce(addCounts, noCounts),
    fileTimes: results.flatMap(({ fileTimes }) => fileTimes),
    exitCode: results.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0,
  }
}
