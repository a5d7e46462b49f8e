import { isServing, readPostmaster, removePidFile, send } from './postmaster.ts'
import { waitUntil } from './wait-until.ts'

/** Ends a server in order, and by force when that takes too long. */
export async function endServer(pid: number, isGone: () => boolean): Promise<void> {
  for (const { signal, secondsMax } of escalation) {
    if (isGone()) return
    send(pid, signal)
    if (await waitUntil(isGone, secondsMax)) return
  }
  throw new Error(`PostgreSQL (process ${pid}) cannot be ended.`)
}

/** The owner of this directory died: its server is ending by itself, or must be. */
export async function endPreviousServer(cluster: string): Promise<void> {
  const previous = readPostmaster(cluster)
  if (previous === undefined || process.platform === 'win32') return
  await endServer(previous.pid, () => !isServing(previous.pid, cluster))
  if (isTaken(previous.pid)) removePidFile(cluster)
}

/**
 * Fast shutdown writes at most the buffers: a second. Immediate shutdown, which recovery repairs at the next start,
 * gives its sessions five seconds. After SIGKILL only the kernel has work to do.
 */
const escalation: readonly { readonly signal: NodeJS.Signals; readonly secondsMax: number }[] = [
  { signal: 'SIGINT', secondsMax: 20 },
  { signal: 'SIGQUIT', secondsMax: 10 },
  { signal: 'SIGKILL', secondsMax: 5 },
]

/** Whether any process, a zombie too, has this number. */
function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
