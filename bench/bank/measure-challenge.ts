import type { Bench, Target } from './bench.ts'
import { type ChallengeResult, runChallenge, runChallengeLoad } from './challenge.ts'
import { cpuMeter } from './cpu-meter.ts'
import { percentile, printTable } from './report.ts'

const full = { rampSeconds: 120, holdSeconds: 120 }
/** The same rates in the end, reached sooner and held for less. */
const everyday = { rampSeconds: 10, holdSeconds: 10 }

/** The bare server under the same load says what of a latency is the machine's. */
export async function measureChallenge(bench: Bench, isFull: boolean): Promise<void> {
  const load = isFull ? full : everyday
  const bare = await measure(bench, bench.bare, (port) => runChallengeLoad({ port, ...everyday }))
  const batched = await measure(bench, bench.batched, (port) => runChallenge({ port, ...load }))
  printTable(`Challenge load, ${load.rampSeconds + load.holdSeconds} s`, [batched.row, bare.row])
  for (const problem of batched.result.inconsistencies.slice(0, 10)) console.log(`inconsistent: ${problem}`)
}

async function measure(
  { server }: Bench,
  { name, port, pids }: Target,
  run: (port: number) => Promise<ChallengeResult>,
) {
  const used = cpuMeter(server, pids)
  const result = await run(port)
  const { requests, errors, inconsistencies, latenciesMilliseconds: latencies } = result
  const { instances, database, othersPercent } = used()
  const row = {
    '': name,
    requests,
    errors,
    inconsistencies: inconsistencies.length,
    'p50 ms': percentile(latencies, 50),
    'p99 ms': percentile(latencies, 99),
    'max ms': percentile(latencies, 100),
    'instances µs': instances / requests,
    'database µs': database / requests,
    'others %': othersPercent,
  }
  return { result, row }
}
