import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilListening } from '../child-process.ts'
import { type Held, heldBy } from './held.ts'

const ownTree = join(import.meta.dirname, '..', '..')
/** The remaining work of the start is done by then. */
const settleMilliseconds = 5000

/**
 * A default start, from its command until every port is open, and what it holds then: the first one, with an
 * empty data folder and no compiled sources, then `--rounds` warm ones. `--compare <folder>` starts another
 * working copy in turns.
 */
export async function runStartBench(words: readonly string[]): Promise<void> {
  const compared = words.includes('--compare') ? words[words.indexOf('--compare') + 1] : undefined
  const rounds = words.includes('--rounds') ? Number(words[words.indexOf('--rounds') + 1]) : 5
  const trees = [...(compared ? [resolve(compared)] : []), ownTree]
  const folders = trees.map(() => mkdtempSync(join(tmpdir(), 'bench-start-')))
  const table = []
  try {
    for (let round = 0; round <= rounds; round += 1)
      for (const [index, tree] of trees.entries())
        table.push({ tree, round: round || 'first', ...(await measure(tree, folders[index] ?? '')) })
    console.table(table)
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(tree: string, folder: string) {
  const startedAt = performance.now()
  const child = start(tree, folder)
  child.stdout?.resume()
  await untilListening(child, Object.values(ports).map(Number))
  const ready = performance.now() - startedAt
  const { cpuSeconds } = heldBy(child.pid ?? 0)
  await sleep(settleMilliseconds)
  const held = heldBy(child.pid ?? 0)
  child.kill()
  await once(child, 'exit')
  return { 'ready ms': Math.round(ready), 'CPU ms': Math.round(1000 * cpuSeconds), ...memoryOf(held) }
}

const memoryOf = ({ resident, own, shared, store }: Held) => ({
  'resident MB, summed': Math.round(resident),
  'own MB': Math.round(own),
  "the program's pages MB": Math.round(shared),
  'store MB': Math.round(store),
  'in all MB': Math.round(own + shared + store),
})

const ports = {
  WEB_PORT: '25400',
  REST_PORT: '25100',
  IDENTITY_PORT: '25200',
  COMMAND_PORT: '25300',
  COMMAND_DIAGNOSTICS_PORT: '25301',
  BANK_PORT: '29999',
}

const start = (tree: string, folder: string): ChildProcess =>
  spawn(process.execPath, [join(tree, 'src/cli.ts'), 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...ports,
      LOG_LEVEL: 'warn',
      DATA_DIR: join(folder, 'data'),
      NODE_COMPILE_CACHE: join(folder, 'cache'),
    },
  })
