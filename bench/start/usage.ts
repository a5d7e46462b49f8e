import { readdirSync, readFileSync } from 'node:fs'

/** The memory, in megabytes, and the CPU time of a start and its descendants. */
export interface Usage {
  /** The sum of the resident memory of this program's processes, including pages that they share. */
  readonly resident: number
  /** The sum of the memory that only one of these processes uses. */
  readonly unshared: number
  /** The pages of the program itself, which all of its processes share. */
  readonly shared: number
  /** The sum of the proportional memory (PSS) of the store's processes. */
  readonly store: number
  /** The CPU time of this program's processes. */
  readonly cpuSeconds: number
}

export function readUsage(root: number): Usage {
  const all = descendantsOf(root)
  const ours = all.filter((pid) => /cli\.ts|bank\/instance/.test(read(`/proc/${pid}/cmdline`)))
  const memory = ours.map((pid) => read(`/proc/${pid}/smaps_rollup`))
  const resident = memory.map((text) => megabytes(text, 'Rss'))
  const unshared = memory.map((text) => megabytes(text, 'Anonymous'))
  return {
    resident: sum(resident),
    unshared: sum(unshared),
    shared: Math.max(...resident.map((amount, index) => amount - (unshared[index] ?? 0))),
    store: sum(
      all
        .filter((pid) => !ours.includes(pid))
        .map((pid) => megabytes(read(`/proc/${pid}/smaps_rollup`), 'Pss')),
    ),
    cpuSeconds: sum(ours.flatMap(threadSeconds)),
  }
}

/** Reads nanoseconds, because proc_pid_stat(5) only has hundredths of a second. */
const threadSeconds = (pid: number): number[] =>
  list(`/proc/${pid}/task`).map(
    (thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e9,
  )

function descendantsOf(root: number): readonly number[] {
  const parents = list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const)
  const found = [root]
  for (const ancestor of found) for (const [pid, parent] of parents) if (parent === ancestor) found.push(pid)
  return found
}

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)

const megabytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

/** Returns an empty text if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
