import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Reads the PID and the socket directory of a running server from the file that PostgreSQL writes. */
export function runningServer(dataDirectory: string): { pid: number; socketFolder: string } {
  const lines = readFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
  return { pid: Number(lines[0]), socketFolder: lines[4] ?? '' }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !isZombie(pid)
}

/** Returns true if the process has ended, but its parent has not noticed it yet. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') ?? false
  } catch {
    return false
  }
}

/** Returns whether the process ends within the time. */
export async function endsWithin(pid: number, seconds: number): Promise<boolean> {
  for (let waits = 0; waits < seconds * 20; waits += 1) {
    if (!isAlive(pid)) return true
    await sleep(50)
  }
  return !isAlive(pid)
}
