import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { addCounts, countLines, noCounts } from './support/runner/counts.ts'
import { recordedSeconds, recordSeconds } from './support/runner/file-seconds.ts'
import { shareFiles } from './support/runner/share-files.ts'
import { openTestLog } from './support/runner/test-log.ts'
import { startWorker } from './support/runner/worker.ts'

/**
 * `npm test` runs everything; `npm test -- lockout journeys` runs the files whose path contains one of the words;
 * `npm test -- --record` also writes down how long each file took, which is what the sharing goes by.
 */
const words = process.argv.slice(2).filter((word) => word !== '--record')
const isRecording = process.argv.includes('--record')
const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'clients/**/*.test.ts'], { cwd: root })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()

if (files.length === 0) {
  console.error(`No test file's path contains ${words.join(' or ')}.`)
  process.exit(1)
}

/** Each starts a store of its own; more of them than cores would only make timed tests late. */
const workersMax = Math.min(4, availableParallelism())

const startedAt = performance.now()
// With words, somebody looks at a few files and wants to see what these print.
const log = words.length === 0 ? openTestLog() : undefined
const workers = shareFiles(files, workersMax, recordedSeconds()).map((share) =>
  startWorker(share, { root, log, show: (text) => process.stdout.write(text) }),
)

// Whoever stops the runner stops the tests, which then stop their databases.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const worker of workers) worker.kill(signal)
  })
}

const results = await Promise.all(workers.map(({ result }) => result))
const counts = results.map((result) => result.counts).reduce(addCounts, noCounts)
const hasPassed = results.every(({ exitCode }) => exitCode === 0)
if (isRecording && hasPassed) recordSeconds(results.flatMap(({ seconds }) => seconds))
await log?.close(hasPassed)
if (log && !hasPassed) console.log(`What the tests and their hosts printed: ${log.path}\n`)
console.log(countLines(counts, performance.now() - startedAt))
process.exitCode = results.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0
