import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own tick is. */
const ticksPerSecond = 100

interface ProcessTimes {
  readonly parent: number
  readonly ticks: number
  /** The ticks of children that have ended. */
  readonly endedChildrenTicks: number
}

/** Returns the CPU seconds that a process has used so far. */
export const cpuSecondsOf = (pid: number): number => (timesOf(pid)?.ticks ?? 0) / ticksPerSecond

/**
 * Returns the same with nanosecond precision, for work that is shorter than a tick. Threads that have ended
 * do not count.
 */
export const exactCpuSecondsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => nanosecondsOf(pid, thread))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e9, 0)

function nanosecondsOf(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    // The thread has ended since it was listed.
    return 0
  }
}

/**
 * Returns the CPU seconds of a process and its children, including those that have ended. The children of a
 * PostgreSQL server are its sessions; the children of a host are its further processes.
 */
export function cpuSecondsOfServer(postmaster: number): number {
  const serverTimes = timesOf(postmaster)
  const children = childrenOf(postmaster).map(timesOf)
  const ticks = children.reduce((sum, times) => sum + (times?.ticks ?? 0), 0)
  return (ticks + (serverTimes?.ticks ?? 0) + (serverTimes?.endedChildrenTicks ?? 0)) / ticksPerSecond
}

export const childrenOf = (parent: number): readonly number[] =>
  processIds().filter((pid) => timesOf(pid)?.parent === parent)

const processIds = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** See proc_pid_stat(5). The name in parentheses may contain spaces, so counting starts after it. */
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
    // The process has ended since it was listed.
    return undefined
  }
}

/** The current resident memory. */
export const memoryMegabytesOf = ({ pid }: ChildProcess): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
