import { setTimeout as sleep } from 'node:timers/promises'
import { type LoadOptions, percentile, runLoad } from './load.ts'
import { cpuSecondsOf, cpuSecondsOfServer } from './process-usage.ts'

/** A host and the first process of its store, each with its own CPU time. */
export interface Measured {
  readonly pid: number
  readonly postmaster: number
}

/** Measures the cost of a load. CPU figures are milliseconds of CPU time per request. */
export async function measureLoad(measured: Measured, load: LoadOptions) {
  return figuresOf(measured, load, async () => {})
}

/** Measures like `measureLoad`, including work after the responses. */
export async function measureToTheEnd(measured: Measured, load: LoadOptions) {
  return figuresOf(measured, load, () => untilIdle(measured))
}

async function figuresOf(measured: Measured, load: LoadOptions, wait: () => Promise<void>) {
  const before = secondsOf(measured)
  const { requests, seconds, failures, latencies } = await runLoad(load)
  await wait()
  const after = secondsOf(measured)
  return {
    'requests/s': Math.round(requests / seconds),
    'p50 ms': rounded(percentile(latencies, 0.5)),
    'p99 ms': rounded(percentile(latencies, 0.99)),
    failures,
    'host CPU': rounded(((after.host - before.host) * 1000) / requests),
    'store CPU': rounded(((after.store - before.store) * 1000) / requests),
  }
}

export type Figures = Awaited<ReturnType<typeof figuresOf>>

const idleWaitSecondsMax = 60
const pollMilliseconds = 250
/** Using less of a poll interval than this fraction counts as idle, because background work never stops. */
const busyFraction = 0.1

async function untilIdle(measured: Measured) {
  const deadline = performance.now() + idleWaitSecondsMax * 1000
  let before = secondsOf(measured)
  while (performance.now() < deadline) {
    await sleep(pollMilliseconds)
    const now = secondsOf(measured)
    const used = now.host - before.host + now.store - before.store
    if (used * 1000 < pollMilliseconds * busyFraction) return
    before = now
  }
}

const secondsOf = ({ pid, postmaster }: Measured) => ({
  host: cpuSecondsOf(pid),
  store: cpuSecondsOfServer(postmaster),
})

export const rounded = (number: number): number => Math.round(number * 1000) / 1000
