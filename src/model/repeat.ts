/** Work that is repeated until it is stopped. */
export interface Repetition {
  /** Resolves when a run in progress has ended. */
  stop(): Promise<void>
}

export interface Repeating {
  readonly everyMilliseconds: number
  /**
   * Called with the error; the work is retried when it is due. Without it a failure is a bug, and ends the process as any other.
   */
  readonly onFailure?: (error: unknown) => void
}

/**
 * The only scheduler: every timer that fires more than once is started here, as lint enforces. The first run is one interval from
 * now, only one runs at a time, and none keeps a process alive that has nothing else to do.
 */
export function repeat({ everyMilliseconds, onFailure }: Repeating, work: () => unknown): Repetition {
  let running: Promise<void> | undefined
  const run = async () => {
    try {
      await work()
    } catch (error) {
      if (!onFailure) throw error
      onFailure(error)
    } finally {
      running = undefined
    }
  }
  const timer = setInterval(() => {
    running ??= run()
  }, everyMilliseconds)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
