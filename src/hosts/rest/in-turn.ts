import type { Snapshot } from '../../store/change-log.ts'

interface Changed {
  readonly resources: ReadonlySet<string>
  readonly since: Snapshot
}

/** One at a time: what changes meanwhile is looked at together afterwards, from where the first of it began. */
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
