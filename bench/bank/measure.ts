import { readFileSync } from 'node:fs'
import { cpuSecondsOf, cpuSecondsOfServer } from '../process-usage.ts'
import type { Load, LoadResult } from './load/run-load.ts'

/** The measured targets, their load and their store. */
export interface Bench {
  readonly url: string
  readonly folder: string
  readonly load: Load
  /** The database's first process. */
  readonly server: number
  /** The bank with two instances, as it is deployed. */
  readonly bank: Target
  /** A single instance of the bank. */
  readonly alone: Target
  /** Two instances that have only the general HTTP server of the bank. */
  readonly general: Target
  /** The same, with one call of the database per request. */
  readonly oneCall: Target
  /** Two servers that only respond. */
  readonly bare: Target
}

interface Target {
  readonly name: string
  readonly port: number
  pids(): readonly number[]
}

/** Returns the targets. The last one is the floor, to which all others are compared. */
export const targetsOf = ({ bank, alone, general, oneCall, bare }: Bench): Target[] => [
  bank,
  alone,
  general,
  oneCall,
  bare,
]

/** The result of one run of a load on one target. */
export interface Sample {
  readonly perSecond: number
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly errors: number
  readonly overdrawn: number
  /** Microseconds of processor time per request. */
  readonly instances: number
  readonly database: number
  readonly othersPercent: number
}

async function measureOnce(
  { server }: Bench,
  { port, pids }: Target,
  run: (port: number) => Promise<LoadResult>,
): Promise<Sample> {
  const used = cpuMeter(server, pids())
  const { requests, errors, overdrawn, seconds, percentiles, cpuSeconds } = await run(port)
  const { instances, database, othersPercent } = used(cpuSeconds)
  return {
    perSecond: requests / seconds,
    p50: percentiles['50'],
    p99: percentiles['99'],
    max: percentiles['100'],
    errors,
    overdrawn,
    instances: instances / requests,
    database: database / requests,
    othersPercent,
  }
}

/**
 * Measures all targets in turns, so that other work on the machine disturbs them equally. Each round begins
 * with another target.
 */
export async function measureInTurns(
  bench: Bench,
  targets: readonly Target[],
  rounds: number,
  run: (port: number) => Promise<LoadResult>,
): Promise<Sample[][]> {
  const samples: Sample[][] = targets.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < targets.length; turn++) {
      const index = (round + turn) % targets.length
      samples[index]?.push(await measureOnce(bench, targets[index] as Target, run))
    }
  }
  return samples
}

/** Returns the medians of each target, also relative to the last target, which is the floor. */
export function rowsOf(targets: readonly Target[], samples: readonly (readonly Sample[])[]) {
  const floor = samples.at(-1) ?? []
  return targets.map(({ name }, index) => {
    const targetSamples = samples[index] ?? []
    const medianOf = (value: (sample: Sample) => number) => median(targetSamples.map(value))
    const cpu = ({ instances, database }: Sample) => instances + database
    const ratios = targetSamples.map((sample, round) => cpu(sample) / cpu(floor[round] ?? sample))
    return {
      '': name,
      'requests/s': Math.round(medianOf(({ perSecond }) => perSecond)),
      'p50 ms': medianOf(({ p50 }) => p50),
      'p99 ms': medianOf(({ p99 }) => p99),
      'max ms': medianOf(({ max }) => max),
      errors: targetSamples.reduce((sum, { errors, overdrawn }) => sum + errors + overdrawn, 0),
      'instances µs': medianOf(({ instances }) => instances),
      'database µs': medianOf(({ database }) => database),
      'sum µs': medianOf(cpu),
      'best µs': Math.min(...targetSamples.map(cpu)),
      '× bare': median(ratios),
      'others %': medianOf(({ othersPercent }) => othersPercent),
    }
  })
}

type Cell = string | number

/** Prints a table that can be pasted into docs/benchmarks.md. */
export function printTable(title: string, rows: readonly Readonly<Record<string, Cell>>[]): void {
  const columns = Object.keys(rows[0] ?? {})
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const lines = [
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => format(row[column] ?? '')))),
  ]
  console.log(`${title}\n\n${lines.join('\n')}\n`)
}

const format = (cell: Cell) =>
  typeof cell === 'string' ? cell : Number.isInteger(cell) ? String(cell) : cell.toFixed(cell < 10 ? 2 : 1)

function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length))] ?? Number.NaN
}

const median = (values: readonly number[]): number => percentile(values, 50)

interface CpuUse {
  /** Microseconds of processor time. */
  readonly instances: number
  readonly database: number
  /** The percentage of the machine's CPU time that unrelated processes used, which is noise. */
  readonly othersPercent: number
}

/** Starts to measure, and returns a function that returns the CPU time used since then. */
export function cpuMeter(server: number, pids: readonly number[]): (loadSeconds?: number) => CpuUse {
  const now = () => ({
    instances: pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
    database: cpuSecondsOfServer(server),
    own: cpuSecondsOf(process.pid),
    ...machineSeconds(),
  })
  const before = now()
  return (loadSeconds = 0) => {
    const after = now()
    const used = (name: keyof typeof before) => after[name] - before[name]
    const others = used('busy') - used('instances') - used('database') - used('own') - loadSeconds
    return {
      instances: used('instances') * 1e6,
      database: used('database') * 1e6,
      othersPercent: (100 * Math.max(0, others)) / used('all'),
    }
  }
}

/** The first line of /proc/stat, in hundredths of a second; see proc_stat(5). */
function machineSeconds(): { busy: number; all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const ticks = line.split(/\s+/).slice(1, 9).map(Number)
  const all = ticks.reduce((sum, value) => sum + value, 0)
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0)
  return { busy: (all - idle) / 100, all: all / 100 }
}
