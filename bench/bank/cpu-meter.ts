import { readFileSync } from 'node:fs'
import { cpuSecondsOf, cpuSecondsOfServer } from '../cpu.ts'

export interface CpuUse {
  /** Microseconds of processor time. */
  readonly instances: number
  readonly database: number
  /** Share of the machine that neither the measured nor the measuring processes had, in percent: noise. */
  readonly othersPercent: number
}

/** Starts to measure, and returns how to read what was used since. */
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
