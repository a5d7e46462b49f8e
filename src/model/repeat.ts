import { setTimeout as sleep } from 'node:timers/promises'
import type { LogWriter } from './budget.ts'

/** Work that is repeated until it is stopped. */
export interface RepeatedWork {
  /** Resolves when a run in progress has ended. */
  stop(): Promise<void>
}

export interface RepeatOptions {
  readonly everyMilliseconds: number
  /**
   * Called with the error of a run. The next run takes place as usual. Without this callback, an error ends
   * the process.
   */
  readonly onFailure?: (error: unknown) => void
}

/**
 * The only scheduler. It runs the work first after one interval, and skips a run while another run is in
 * progress. The timer does not keep the process alive.
 */
export function repeat({ everyMilliseconds, onFailure }: RepeatOptions, work: () => unknown): RepeatedWork {
  let running: Promise<void> | undefined
  const run = async () => {
    try {
      await work()
    } catch (error) {
      if (!onFailure) throw error
      onFailure(error)
    }
  }
  const timer = setInterval(() => {
    // `finally` runs after the assignment, even if the work fails before its first `await`.
    running ??= run().finally(() => {
      running = undefined
    })
  }, everyMilliseconds)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

/** The pause between failed starts, doubled each time: the database may be unavailable for long. */
const pauseMilliseconds = { first: 100, max: 5000 }

/** Retries until a start succeeds or the supervisor stops. */
export async function startWithRetries<Started>(
  start: () => Promise<Started>,
  stopping: AbortSignal,
  log: Pick<LogWriter, 'error'>,
): Promise<Started | undefined> {
  for (let pause = pauseMilliseconds.first; ; pause = Math.min(2 * pause, pauseMilliseconds.max)) {
    try {
      return await start()
    } catch (error) {
      if (!stopping.aborted) log.error({ err: error }, 'An instance could not be started.')
      // An abort ends the pause early.
      await sleep(pause, undefined, { signal: stopping }).catch(() => undefined)
      if (stopping.aborted) return undefined
    }
  }
}
