import { readdirSync, readFileSync } from 'node:fs'

/** The memory and CPU of a start and its child processes. Megabytes. */
export interface Held {
  /** Of our own processes, each with the pages that it shares with others. */
  readonly resident: number
  /** Of these, what belongs to one of them only. */
  readonly own: number
  /** The program's own pages, which all of them share. */
  readonly shared: number
  /** The shares of the store's processes. */
  readonly store: number
  /** Of our own processes. */
  readonly cpuSeconds: number
}

export function heldBy(root: number): Held {
  const all = belowOf(root)
  const ours = all.filter((pid) => /cli\.ts|bank\/instance/.test(read(`/proc/${pid}/cmdline`)))
  const memory = ours.map((pid) => read(`/proc/${pid}/smaps_rollup`))
  const resident = memory.map((text) => megabytes(text, 'Rss'))
  const own = memory.map((text) => megabytes(text, 'Anonymous'))
  return {
    resident: sum(resident),
    own: sum(own),
    shared: Math.max(...resident.map((amount, index) => amount - (own[index] ?? 0))),
    store: sum(
      all
        .filter((pid) => !ours.includes(pid))
        .map((pid) => megabytes(read(`/proc/${pid}/smaps_rollup`), 'Pss')),
    ),
    cpuSeconds: sum(ours.flatMap(threadSeconds)),
  }
}

/** Finer than the hundredths of proc_pid_stat(5). */
const threadSeconds = (pid: number): number[] =>
  list(`/proc/${pid}/task`).map(
    (thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e9,
  )

function belowOf(root: number): readonly number[] {
  const parents = list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const)
  const found = [root]
  for (const one of found) for (const [pid, parent] of parents) if (parent === one) found.push(pid)
  return found
}

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)

const megabytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

/** A process that has ended between two samples holds nothing. */
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
