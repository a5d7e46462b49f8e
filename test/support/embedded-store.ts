import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What PostgreSQL itself writes down about a running server: its process and the folder of its socket. */
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

/** Dead, and only not yet noticed by the process that started it. */
function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') ?? false
  } catch {
    return false
  }
}

/** Whether the process is gone within the time. */
export async function isGone(pid: number, seconds: number): Promise<boolean> {
  for (let waits = 0; waits < seconds * 20; waits += 1) {
    if (!isAlive(pid)) return true
    await sleep(50)
  }
  return !isAlive(pid)
}
