import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The current resident memory. */
export const memoryMegabytesOf = ({ pid }: ChildProcess): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
