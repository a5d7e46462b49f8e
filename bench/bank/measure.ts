import type { Bench, Target } from './bench.ts'
import { cpuMeter } from './cpu-meter.ts'
import type { LoadResult } from './load/run-load.ts'
import { median } from './report.ts'

/** The result of one run of a load on one target. */
export interface Sample {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly errors: number
  readonly underLimit: number
  /** Microseconds of processor time per request. */
  readonly instances: number
  readonly database: number
  readonly othersPercent: number
}

export async function measureOnce(
  { server }: Bench,
  { port, pids }: Target,
  run: (port: number) => Promise<LoadResult>,
): Promise<Sample> {
  const used = cpuMeter(server, pids())
  const { requests, errors, underLimit, seconds, percentiles, cpuSeconds } = await run(port)
  const { instances, database, othersPercent } = used(cpuSeconds)
  return {
    perSecond: requests / seconds,
    p50: percentiles['50'],
    p99: percentiles['99'],
    max: percentiles['100'],
    errors,
    underLimit,
    instances: instances / requests,
    database: database / requests,
    othersPercent,
  }
}

/** All targets alternately, so that other work on the machine disturbs them equally; each round begins with another. */
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

/** Medians, and the last target's as the floor of all others. */
export function rowsOf(targets: readonly Target[], samples: readonly (readonly Sample[])[]) {
  const floor = samples.at(-1) ?? []
  return targets.map(({ name }, index) => {
    const own = samples[index] ?? []
    const of = (value: (sample: Sample) => number) => median(own.map(value))
    const cpu = ({ instances, database }: Sample) => instances + database
    const times = own.map((sample, round) => cpu(sample) / cpu(floor[round] ?? sample))
    return {
      '': name,
      'requests/s': Math.round(of(({ perSecond }) => perSecond)),
      'p50 ms': of(({ p50 }) => p50),
      'p99 ms': of(({ p99 }) => p99),
      'max ms': of(({ max }) => max),
      errors: own.reduce((sum, { errors, underLimit }) => sum + errors + underLimit, 0),
      'instances µs': of(({ instances }) => instances),
      'database µs': of(({ database }) => database),
      'sum µs': of(cpu),
      'best µs': Math.min(...own.map(cpu)),
      '× bare': median(times),
      'others %': of(({ othersPercent }) => othersPercent),
    }
  })
}
