import { type Repetition, repeat } from '../schedule/repeat.ts'
import { changesSince, type Snapshot } from './change-log.ts'
import type { Database } from './database.ts'

export interface ChangeWatch {
  /** Resolves once every change committed from now on will be reported. */
  start(): Promise<void>
  stop(): void
  /** How old what is known may be; 0 while nobody watches. */
  secondsBehind(): number
}

export interface ChangeWatchOptions {
  readonly database: Database
  /** `since`: what was known before them. */
  readonly onChanges: (resources: ReadonlySet<string>, since: Snapshot) => void
  readonly onFailure: (error: unknown) => void
}

/** Changes of other processes are noticed within this time; one cheap statement each. */
const pollMilliseconds = 200

/** Reports which resources changed, on whichever instance or host: at once for this process, else at the next poll. */
export function watchChanges({ database, onChanges, onFailure }: ChangeWatchOptions): ChangeWatch {
  let snapshot: Snapshot | undefined
  let polling: Repetition | undefined
  let isPolling = false
  let isPollWanted = false
  let lookedAt = 0

  async function poll() {
    if (isPolling) {
      isPollWanted = true
      return
    }
    isPolling = true
    try {
      do {
        isPollWanted = false
        const askedAt = performance.now()
        const since = snapshot
        const changes = await changesSince(database, since)
        snapshot = changes.snapshot
        lookedAt = askedAt
        if (since !== undefined && changes.resources.length > 0) onChanges(new Set(changes.resources), since)
      } while (isPollWanted && polling)
    } catch (error) {
      // The snapshot stays where it was, so the next poll misses nothing.
      onFailure(error)
    } finally {
      isPolling = false
    }
  }

  database.onCommit(() => {
    if (polling) void poll()
  })
  return {
    secondsBehind: () => (polling ? (performance.now() - lookedAt) / 1000 : 0),
    async start() {
      if (polling) return
      snapshot = (await changesSince(database, undefined)).snapshot
      lookedAt = performance.now()
      polling ??= repeat({ everyMilliseconds: pollMilliseconds, onFailure }, poll)
    },
    stop() {
      void polling?.stop()
      polling = undefined
    },
  }
}
