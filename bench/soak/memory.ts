import { readdirSync, readFileSync } from 'node:fs'

export type Megabytes = Readonly<Record<string, number>>

/**
 * What a start and all that it has started hold: each process of ours by its resident memory, the store by the shares of its
 * processes, because its buffers are in every one of them.
 */
export function memoryOf(root: number): Megabytes {
  const figures: Record<string, number> = {}
  const parents = new Map(processIds().map((pid) => [pid, parentOf(pid)]))
  const instances: number[] = []
  for (const pid of parents.keys()) {
    if (!isBelow(pid, root, parents)) continue
    const command = read(`/proc/${pid}/cmdline`)
    if (pid === root) figures.hosts = kibibytes(read(`/proc/${pid}/status`), 'VmRSS') / 1024
    else if (/bank\/instance/.test(command)) instances.push(pid)
    else if (/postgres/.test(command))
      figures.store = (figures.store ?? 0) + kibibytes(read(`/proc/${pid}/smaps_rollup`), 'Pss') / 1024
  }
  for (const [index, pid] of instances.sort((first, second) => first - second).entries())
    figures[`bank #${index + 1}`] = kibibytes(read(`/proc/${pid}/status`), 'VmRSS') / 1024
  return figures
}

function isBelow(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
    if (at === root) return true
  return false
}

const processIds = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

const parentOf = (pid: number): number => kibibytes(read(`/proc/${pid}/status`), 'PPid')

const kibibytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended between the listing and now.
    return ''
  }
}
