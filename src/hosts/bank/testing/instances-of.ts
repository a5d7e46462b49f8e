import { execFileSync } from 'node:child_process'

/** Returns the bank's processes that this process has started, listening or not. */
export const instancesOf = (pid: number): number[] =>
  execFileSync('ps', ['-o', 'pid=,ppid=,args=', '-A'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('bank/instance.ts'))
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([own = 0, parent]) => (parent === pid ? [own] : []))
