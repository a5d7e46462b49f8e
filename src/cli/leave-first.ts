import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningHost } from './hosts/running-host.ts'

/**
 * All hosts of the process report that they are about to stop, and stop together when who looks at that has seen it: each waits
 * for those who keep a connection to it.
 */
export async function leaveFirst(hosts: readonly RunningHost[], drainSeconds: number): Promise<void> {
  if (drainSeconds === 0) return
  for (const host of hosts) host.leave()
  await sleep(drainSeconds * 1000)
  await Promise.allSettled(hosts.map(({ stop }) => stop()))
}
