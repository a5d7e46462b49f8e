import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningHost } from './hosts/running-host.ts'

/** All hosts of the process report that they are about to stop, before the first of them stops. */
export async function leaveFirst(hosts: readonly RunningHost[], drainSeconds: number): Promise<void> {
  if (drainSeconds === 0) return
  for (const host of hosts) host.leave()
  await sleep(drainSeconds * 1000)
}
