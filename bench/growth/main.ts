import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { startTestIssuer, type TestIssuer } from '../../test/support/test-issuer.ts'
import { postmasterOf } from '../child-process.ts'
import { percentile, runLoad } from '../load.ts'
import { cpuSecondsOf, cpuSecondsOfServer } from '../process-usage.ts'
import { measureLive } from './live.ts'
import { openSize, type Size, scenarios } from './sizes.ts'

const firstPort = 5170
const defaultConnections = 16

interface Measured {
  /** The CPU time of host and store per request, in milliseconds. */
  readonly cpuMilliseconds: number
  readonly requestsPerSecond: number
  readonly latencies: readonly number[]
  readonly failures: number
}

const options = {
  sizes: { type: 'string', default: '1000,10000,100000,1000000' },
  connections: { type: 'string', default: '1,16,64,256' },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  live: { type: 'string', default: '5000' },
} as const

/**
 * Measures the cost of more rows and more connections. Each size has a database and a host. The sizes are
 * measured alternately, so that other work on the machine disturbs them equally. Usage: `npm run bench --
 * growth --sizes 1000,1000000 --connections 1,256 --rounds 3 --seconds 2 --live 5000`.
 */
export async function runGrowthBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options })
  const sizes = values.sizes.split(',').map(Number)
  const connections = values.connections.split(',').map(Number)
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  const streams = Number(values.live)
  // The folder is in the project, because a temporary folder may be in memory.
  const dataDirectory = mkdtempSync(join(process.cwd(), '.data-bench-'))
  // Otherwise, background work of the store after a million new rows would count as the cost of requests.
  const settings = { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '8GB' }
  const store = await startEmbeddedStore({ dataDirectory, settings })
  let issuer: TestIssuer | undefined
  const opened: Size[] = []
  try {
    issuer = await startTestIssuer()
    for (const [index, rows] of sizes.entries())
      opened.push(await openSize(rows, firstPort + index, { dataDirectory, url: store.url, issuer }))
    const bench = { postmaster: postmasterOf(dataDirectory), seconds }
    await measureSizes(opened, rounds, bench)
    const [smallest, largest] = [opened[0] as Size, opened.at(-1) as Size]
    await measureConnections([...new Set([smallest, largest])], connections, bench)
    if (streams > 0)
      console.table([await measureLive(smallest, baselineStreams), await measureLive(largest, streams)])
  } finally {
    for (const { stop } of opened) await stop()
    await issuer?.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

/** The most streams on the smallest size, with which the streams on the largest size are compared. */
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
    `CPU time of host and store in milliseconds per request; system load ${loadavg()[0]?.toFixed(1)}.`,
  )
}

async function measureScenario(sizes: readonly Size[], name: string, rounds: number, bench: Bench) {
  const measured = new Map<Size, Measured[]>(sizes.map((size) => [size, []]))
  // The first run only warms up.
  for (const size of sizes) await measure(size, name, defaultConnections, { ...bench, seconds: 1 })
  for (let round = 0; round < rounds; round += 1) {
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed())
      measured.get(size)?.push(await measure(size, name, defaultConnections, bench))
  }
  const cpus = [...measured.values()].map((results) =>
    median(results.map(({ cpuMilliseconds }) => cpuMilliseconds)),
  )
  const latencies = [...measured].map(([{ rows }, results]) => [`p50 ms ${rows}`, medianLatency(results)])
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
        const result = await measure(size, name, count, bench)
        const [p50, p99] = [0.5, 0.99].map((share) => rounded(percentile(result.latencies, share)))
        const row = { scenario: name, connections: count, assignments: size.rows }
        table.push({
          ...row,
          'requests/s': Math.round(result.requestsPerSecond),
          'CPU ms': rounded(result.cpuMilliseconds),
          p50,
          p99,
          failures: result.failures,
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
  const cpuSeconds = () => cpuSecondsOf(host.pid ?? 0) + cpuSecondsOfServer(postmaster)
  const before = cpuSeconds()
  const result = await runLoad({ port, connections, seconds, next })
  return {
    cpuMilliseconds: ((cpuSeconds() - before) * 1000) / result.requests,
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
