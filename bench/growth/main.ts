import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { startTestIssuer } from '../../test/support/test-issuer.ts'
import { postmasterOf } from '../child-process.ts'
import { percentile, runLoad } from '../load.ts'
import { cpuSecondsOf, cpuSecondsOfServer } from '../process-usage.ts'
import { measureLive } from './live.ts'
import { openSize, type Size, scenarios } from './sizes.ts'

const firstPort = 5170
const defaultConnections = 16

interface Measured {
  /** The CPU time of host and store per request, in milliseconds. */
  readonly cpu: number
  readonly requestsPerSecond: number
  readonly latencies: readonly number[]
  readonly failures: number
}

/**
 * Measures the cost of more rows and more connections. Each size has a database and a host, and all are
 * measured in turns, so that other work on the machine disturbs them equally. `--sizes 1000,1000000
 * --connections 1,256 --rounds 3 --seconds 2 --live 5000`
 */
export async function runGrowthBench(args: readonly string[]): Promise<void> {
  const argOf = (name: string) =>
    args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : undefined
  const numbersOf = (name: string, defaultValue: string) =>
    (argOf(name) ?? defaultValue).split(',').map(Number)
  const sizes = numbersOf('sizes', '1000,10000,100000,1000000')
  const connections = numbersOf('connections', '1,16,64,256')
  const [rounds = 5] = numbersOf('rounds', '5')
  const [seconds = 2] = numbersOf('seconds', '2')
  const [streams = 5000] = numbersOf('live', '5000')
  // The folder is in the project, because a temporary one may be in memory.
  const dataDirectory = mkdtempSync(join(process.cwd(), '.data-bench-'))
  // Background work of the store after a million new rows would be counted as the cost of requests.
  const settings = { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '8GB' }
  const store = await startEmbeddedStore({ dataDirectory, settings })
  const issuer = await startTestIssuer()
  const opened: Size[] = []
  try {
    for (const [index, rows] of sizes.entries())
      opened.push(await openSize(rows, firstPort + index, { dataDirectory, url: store.url, issuer }))
    const bench = { postmaster: postmasterOf(dataDirectory), seconds }
    await measureSizes(opened, rounds, bench)
    await measureConnections([opened[0], opened.at(-1)] as Size[], connections, bench)
    if (streams > 0) {
      console.table([
        await measureLive(opened[0] as Size, baselineStreams),
        await measureLive(opened.at(-1) as Size, streams),
      ])
    }
  } finally {
    for (const { stop } of opened) await stop()
    await issuer.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

/** Few streams on the smallest size, to compare with. */
const baselineStreams = 200

interface Bench {
  readonly postmaster: number
  readonly seconds: number
}

async function measureSizes(sizes: readonly Size[], rounds: number, bench: Bench) {
  const table = []
  for (const name of Object.keys(scenarios)) table.push(await measureScenario(sizes, name, rounds, bench))
  console.table(table)
  console.log(
    `CPU of host and store in milliseconds a request; load of the machine ${loadavg()[0]?.toFixed(1)}.`,
  )
}

async function measureScenario(sizes: readonly Size[], name: string, rounds: number, bench: Bench) {
  const measured = new Map<Size, Measured[]>(sizes.map((size) => [size, []]))
  for (const size of sizes) await measure(size, name, defaultConnections, { ...bench, seconds: 1 })
  for (let round = 0; round < rounds; round += 1) {
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed())
      measured.get(size)?.push(await measure(size, name, defaultConnections, bench))
  }
  const cpus = [...measured.values()].map((each) => median(each.map(({ cpu }) => cpu)))
  const latencies = [...measured].map(([{ rows }, each]) => [`p50 ms ${rows}`, medianLatency(each)])
  return {
    scenario: name,
    ...Object.fromEntries(sizes.map(({ rows }, index) => [`${rows} rows`, rounded(cpus[index] ?? 0)])),
    'last ÷ first': rounded((cpus.at(-1) ?? 0) / (cpus[0] ?? 1)),
    ...Object.fromEntries(latencies),
    failures: [...measured.values()].flat().reduce((sum, { failures }) => sum + failures, 0),
  }
}

async function measureConnections(sizes: readonly Size[], connections: readonly number[], bench: Bench) {
  const table = []
  for (const name of ['get', 'list of a project', 'update']) {
    for (const count of connections) {
      for (const size of sizes) {
        const { cpu, requestsPerSecond, latencies, failures } = await measure(size, name, count, bench)
        const [p50, p99] = [0.5, 0.99].map((share) => rounded(percentile(latencies, share)))
        const row = { scenario: name, connections: count, assignments: size.rows }
        table.push({
          ...row,
          'requests/s': Math.round(requestsPerSecond),
          'CPU ms': rounded(cpu),
          p50,
          p99,
          failures,
        })
      }
    }
  }
  console.table(table)
}

async function measure(
  { host, port, store, tokens }: Size,
  name: string,
  connections: number,
  { postmaster, seconds }: Bench,
): Promise<Measured> {
  const next = scenarios[name]?.(store, tokens)
  if (!next) throw new Error(`There is no scenario ${name}.`)
  const cpu = () => cpuSecondsOf(host.pid ?? 0) + cpuSecondsOfServer(postmaster)
  const before = cpu()
  const result = await runLoad({ port, connections, seconds, next })
  return {
    cpu: ((cpu() - before) * 1000) / result.requests,
    requestsPerSecond: result.requests / result.seconds,
    latencies: result.latencies,
    failures: result.failures,
  }
}

const medianLatency = (measured: readonly Measured[]) =>
  rounded(median(measured.map(({ latencies }) => percentile(latencies, 0.5))))

const median = (numbers: readonly number[]): number =>
  percentile(
    [...numbers].sort((a, b) => a - b),
    0.5,
  )
const rounded = (number: number): number => Math.round(number * 100) / 100
