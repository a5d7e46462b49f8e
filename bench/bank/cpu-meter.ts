import { cpuSecondsOf, cpuSecondsOfServer } from '../cpu.ts'

export interface CpuMeter {
  /** Microseconds of processor time since the meter was made. */
  instances(): number
  database(): number
}

export function cpuMeter(server: number, pids: readonly number[]): CpuMeter {
  const instances = () => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0) * 1e6
  const database = () => cpuSecondsOfServer(server) * 1e6
  const before = { instances: instances(), database: database() }
  return {
    instances: () => instances() - before.instances,
    database: () => database() - before.database,
  }
}
