import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own tick is. */
const ticksPerSecond = 100

interface ProcessTimes {
  readonly parent: number
  readonly ticks: number
  /** Of children that have ended. */
  readonly endedChildrenTicks: number
}

/** CPU seconds of a process so far. */
export const cpuSecondsOf = (pid: number): number => (timesOf(pid)?.ticks ?? 0) / ticksPerSecond

/** The same exactly, of the threads that it has now: for work that is shorter than a tick. */
export const exactCpuSecondsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e9, 0)

/** CPU seconds of a PostgreSQL server: its first process, its current sessions and those that have ended. */
export function cpuSecondsOfServer(postmaster: number): number {
  const own = timesOf(postmaster)
  const children = childrenOf(postmaster).map(timesOf)
  const ticks = children.reduce((sum, times) => sum + (times?.ticks ?? 0), 0)
  return (ticks + (own?.ticks ?? 0) + (own?.endedChildrenTicks ?? 0)) / ticksPerSecond
}

export const childrenOf = (parent: number): readonly number[] =>
  processIds().filter((pid) => timesOf(pid)?.parent === parent)

const processIds = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** See proc_pid_stat(5); the name in brackets may hold spaces, so counting starts after it. */
function timesOf(pid: number): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      (index) => fields[index] ?? 0,
    )
    return { parent, ticks: user + system, endedChildrenTicks: endedUser + endedSystem }
  } catch {
    // It has ended between the listing and now.
    return undefined
  }
}

/** The current resident memory. */
export const memoryMegabytesOf = ({ pid }: ChildProcess): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
