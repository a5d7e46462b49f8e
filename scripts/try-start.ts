import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// Starts all hosts twice with a new data directory, waits until each is ready, and stops them.
const readySecondsMax = 120
const addresses = [
  ...[5400, 5100, 5200, 5301].map((port) => `http://localhost:${port}/readyz`),
  'http://localhost:9999/healthz',
]
const dataDirectory = mkdtempSync(join(tmpdir(), 'try-start-'))

async function areReady(): Promise<boolean> {
  const answers = addresses.map((address) => fetch(address).catch(() => undefined))
  return (await Promise.all(answers)).every((answer) => answer?.ok)
}

async function tryStart(): Promise<void> {
  const program = join(import.meta.dirname, '..', 'src', 'cli.ts')
  const child = spawn(process.execPath, [program, 'start'], {
    env: { ...process.env, DATA_DIR: dataDirectory },
    stdio: 'inherit',
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  try {
    const deadline = performance.now() + readySecondsMax * 1000
    while (!(await areReady())) {
      if (child.exitCode !== null) throw new Error('npm start ended by itself.')
      if (performance.now() > deadline)
        throw new Error(`Not every host was ready in ${readySecondsMax} seconds.`)
      await sleep(200)
    }
  } finally {
    // On Windows, this ends the process immediately, because there are no such signals.
    child.kill('SIGTERM')
  }
  const code = await ended
  if (process.platform !== 'win32' && code !== 0) throw new Error(`Stopping ended with ${code}.`)
}

for (const time of ['first', 'second']) {
  await tryStart()
  console.log(`The ${time} start is fine.`)
}
