import { type Bench, targetsOf } from './bench.ts'
import { cpuMeter } from './cpu-meter.ts'
import { measureInTurns, rowsOf } from './measure.ts'
import { findPgbench, runPgbench } from './pgbench.ts'
import { printTable } from './report.ts'

const shapes = [
  { connections: 64, keepAlive: true },
  { connections: 256, keepAlive: true },
  { connections: 64, keepAlive: false },
] as const

/** Writes only; each connection sends the next one after the previous response. */
export async function measureLoops(bench: Bench, rounds: number, seconds: number): Promise<void> {
  const targets = targetsOf(bench)
  for (const shape of shapes) {
    const samples = await measureInTurns(bench, targets, rounds, (port) =>
      bench.load.closed(port, { ...shape, seconds }),
    )
    const title = `${shape.connections} connections, ${shape.keepAlive ? 'kept' : 'one for each request'}`
    printTable(`Writes, ${title}: median of ${rounds} rounds of ${seconds} s`, rowsOf(targets, samples))
  }
  await measurePgbench(bench, seconds)
}

async function measurePgbench({ url, folder, server }: Bench, seconds: number): Promise<void> {
  const pgbench = findPgbench()
  if (pgbench === undefined)
    return console.log('pgbench: not installed (it is part of the package postgresql).\n')
  const rows = []
  for (const clients of [10, 64]) {
    const used = cpuMeter(server, [])
    const options = { url, folder, clients, seconds }
    const { transactionsPerSecond, transactions } = await runPgbench(pgbench, options)
    rows.push({
      'pgbench clients': clients,
      'calls/s': Math.round(transactionsPerSecond),
      'database µs/call': used().database / transactions,
    })
  }
  printTable('pgbench, one call of the same function per transaction', rows)
}
