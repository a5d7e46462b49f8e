import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'

/** `npm test` runs everything; `npm test -- lockout journeys` runs the files whose path contains one of the words. */
const words = process.argv.slice(2)
const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()

if (files.length === 0) {
  console.error(`No test file's path contains ${words.join(' or ')}.`)
  process.exit(1)
}

/** The slowest test takes seconds; one that takes this long hangs. */
const testSecondsMax = 120

const tests = spawn(
  process.execPath,
  [
    '--test',
    // One process: a store is started once, and fifty files take a second instead of eighteen.
    '--test-isolation=none',
    // A handle that a test forgot to close must not keep the run from ending.
    '--test-force-exit',
    `--test-timeout=${testSecondsMax * 1000}`,
    `--test-reporter=${join(import.meta.dirname, 'support', 'failures-reporter.ts')}`,
    '--test-reporter-destination=stdout',
    join(import.meta.dirname, 'support', 'load-files.ts'),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    // Four Argon2 computations would fill the default pool, and files and DNS would wait for them. Read once, at start.
    env: { UV_THREADPOOL_SIZE: '8', ...process.env, TEST_FILES: JSON.stringify(files) },
  },
)

// Whoever stops the runner stops the tests, which then stop their database.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal))
tests.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal ?? 'SIGTERM']
})
