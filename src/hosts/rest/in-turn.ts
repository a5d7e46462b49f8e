import type { Snapshot } from '../../store/change-log.ts'

interface Changed {
  readonly resources: ReadonlySet<string>
  readonly since: Snapshot
}

/** Runs `work` one at a time. Changes that come meanwhile are merged into one next run, since the earliest snapshot of them. */
export function inTurn(
  work: (changed: Changed) => Promise<void>,
  onFailure: (error: unknown) => void,
): (resources: ReadonlySet<string>, since: Snapshot) => void {
  let waiting: Changed | undefined
  let isWorking = false
  async function run() {
    isWorking = true
    while (waiting) {
      const next = waiting
      waiting = undefined
      await work(next).catch(onFailure)
    }
    isWorking = false
  }
  return (resources, since) => {
    waiting = waiting
      ? { resources: new Set([...waiting.resources, ...resources]), since: waiting.since }
      : { resources, since }
    if (!isWorking) void run()
  }
}
