import { runChallenge } from './challenge.ts'
import { cpuMeter } from './cpu-meter.ts'
import type { Bench } from './main.ts'
import { percentile, printTable } from './report.ts'

const full = { rampSeconds: 120, holdSeconds: 120 }
/** The same rates in the end, reached sooner and held for less. */
const everyday = { rampSeconds: 10, holdSeconds: 10 }

export async function measureChallenge({ batched, server }: Bench, isFull: boolean): Promise<void> {
  const cpu = cpuMeter(server, batched.pids)
  const result = await runChallenge({ port: batched.port, ...(isFull ? full : everyday) })
  const { requests, errors, inconsistencies, latenciesMilliseconds: latencies } = result
  printTable(`Challenge load (${isFull ? 'full' : 'short'})`, [
    {
      requests,
      errors,
      inconsistencies: inconsistencies.length,
      'p50 ms': percentile(latencies, 50),
      'p99 ms': percentile(latencies, 99),
      'max ms': percentile(latencies, 100),
      'instances µs/request': cpu.instances() / requests,
      'database µs/request': cpu.database() / requests,
    },
  ])
  for (const problem of inconsistencies.slice(0, 10)) console.log(`inconsistent: ${problem}`)
}
