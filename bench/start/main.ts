import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilListening } from '../child-process.ts'
import { numberOption } from '../options.ts'
import { readUsage, type Usage } from './usage.ts'

const thisTree = join(import.meta.dirname, '..', '..')
/** The remaining work of the start is done by then. */
const settleMilliseconds = 5000

/**
 * Measures a default start, from the command until every port is open, and its memory afterwards: the first
 * start, with an empty data folder and no compiled sources, then `--rounds` warm ones. With `--compare
 * <folder>`, starts of that working copy alternate with starts of this one.
 */
export async function runStartBench(args: readonly string[]): Promise<void> {
  const compared = args.includes('--compare') ? args[args.indexOf('--compare') + 1] : undefined
  const rounds = numberOption(args, '--rounds', 5)
  const trees = [...(compared ? [resolve(compared)] : []), thisTree]
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
  const { cpuSeconds } = readUsage(child.pid ?? 0)
  await sleep(settleMilliseconds)
  const settledUsage = readUsage(child.pid ?? 0)
  child.kill()
  await once(child, 'exit')
  return { 'ready ms': Math.round(ready), 'CPU ms': Math.round(1000 * cpuSeconds), ...memoryOf(settledUsage) }
}

const memoryOf = ({ resident, unshared, shared, store }: Usage) => ({
  'resident MB, summed': Math.round(resident),
  'own MB': Math.round(unshared),
  "the program's pages MB": Math.round(shared),
  'store MB': Math.round(store),
  'in all MB': Math.round(unshared + shared + store),
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
