import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../configuration/settings.ts'
import type { RunningHost } from './hosts.ts'

/** Longer than any balancer takes to notice. */
const drainSecondsMax = 300

/** How long hosts go on serving once they have said that they stop: as long as what stands before them takes to notice. */
export const readDrainSeconds = (settings: Settings): number =>
  settings.wholeNumber('DRAIN_SECONDS', 0, { min: 0, max: drainSecondsMax })

/** All hosts of the process leave together, before the first of them stops. */
export async function leaveFirst(hosts: readonly RunningHost[], drainSeconds: number): Promise<void> {
  if (drainSeconds === 0) return
  for (const host of hosts) host.leave()
  await sleep(drainSeconds * 1000)
}
