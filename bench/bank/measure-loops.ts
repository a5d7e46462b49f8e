import type { Bench, Target } from './bench.ts'
import { type LoopOptions, runClosedLoop } from './closed-loop.ts'
import { cpuMeter } from './cpu-meter.ts'
import { findPgbench, runPgbench } from './pgbench.ts'
import { median, percentile, printTable } from './report.ts'

const shapes = [
  { connections: 64, keepAlive: true },
  { connections: 256, keepAlive: true },
  { connections: 64, keepAlive: false },
  { connections: 256, keepAlive: false },
] as const

interface Sample {
  readonly writesPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly errors: number
  readonly instances: number
  readonly database: number
  readonly othersPercent: number
}

/** Both are measured in turns, so that a noisy neighbour disturbs both; the median of the rounds is told. */
export async function measureLoops(bench: Bench, rounds: number, seconds: number): Promise<void> {
  const rows = []
  for (const shape of shapes) {
    const batched: Sample[] = []
    const oneCall: Sample[] = []
    for (let round = 0; round < rounds; round++) {
      batched.push(await measure(bench, bench.batched, { ...shape, seconds }))
      oneCall.push(await measure(bench, bench.oneCall, { ...shape, seconds }))
    }
    const title = `${shape.connections}, ${shape.keepAlive ? 'keep-alive' : 'a connection each'}`
    rows.push(
      rowOf(`${title}: ${bench.batched.name}`, batched),
      rowOf(`${title}: ${bench.oneCall.name}`, oneCall),
    )
    rows.push(ratioOf(batched, oneCall))
  }
  printTable(`Closed loop, writes, median of ${rounds} rounds of ${seconds} s`, rows)
  await measurePgbench(bench, seconds)
}

async function measure(
  { server }: Bench,
  { port, pids }: Target,
  shape: Omit<LoopOptions, 'port'>,
): Promise<Sample> {
  const used = cpuMeter(server, pids)
  const { writes, errors, seconds, latenciesMilliseconds } = await runClosedLoop({ port, ...shape })
  const { instances, database, othersPercent } = used()
  return {
    writesPerSecond: writes / seconds,
    errors,
    p50: percentile(latenciesMilliseconds, 50),
    p99: percentile(latenciesMilliseconds, 99),
    instances: instances / writes,
    database: database / writes,
    othersPercent,
  }
}

const medianOf = (samples: readonly Sample[], value: (sample: Sample) => number) => median(samples.map(value))
const cpuOfSample = ({ instances, database }: Sample) => instances + database

const rowOf = (name: string, samples: readonly Sample[]) => ({
  connections: name,
  'writes/s': Math.round(medianOf(samples, ({ writesPerSecond }) => writesPerSecond)),
  'p50 ms': medianOf(samples, ({ p50 }) => p50),
  'p99 ms': medianOf(samples, ({ p99 }) => p99),
  errors: samples.reduce((sum, { errors }) => sum + errors, 0),
  'instances µs': medianOf(samples, ({ instances }) => instances),
  'database µs': medianOf(samples, ({ database }) => database),
  'sum µs': medianOf(samples, cpuOfSample),
  'best µs': Math.min(...samples.map(cpuOfSample)),
  'others %': medianOf(samples, ({ othersPercent }) => othersPercent),
})

function ratioOf(batched: readonly Sample[], oneCall: readonly Sample[]) {
  const times = (value: (sample: Sample) => number) => {
    const ratios = oneCall.map((sample, round) => value(sample) / value(batched[round] ?? sample))
    return `${median(ratios).toFixed(1)} ×`
  }
  return {
    connections: '**one call ÷ batched**',
    'writes/s': times(({ writesPerSecond }) => 1 / writesPerSecond),
    'p50 ms': times(({ p50 }) => p50),
    'p99 ms': times(({ p99 }) => p99),
    errors: '',
    'instances µs': times(({ instances }) => instances),
    'database µs': times(({ database }) => database),
    'sum µs': times(cpuOfSample),
    'best µs': '',
    'others %': '',
  }
}

async function measurePgbench({ url, folder, server }: Bench, seconds: number): Promise<void> {
  const pgbench = findPgbench()
  if (pgbench === undefined)
    return console.log('pgbench: not installed (it is part of the package postgresql).\n')
  const rows = []
  for (const clients of [10, 64]) {
    const used = cpuMeter(server, [])
    const { transactionsPerSecond, transactions } = await runPgbench(pgbench, {
      url,
      folder,
      clients,
      seconds,
    })
    rows.push({
      'pgbench clients': clients,
      'calls/s': Math.round(transactionsPerSecond),
      'database µs/call': used().database / transactions,
    })
  }
  printTable('pgbench, one call of the same function per transaction', rows)
}
