import type { Log } from '../../http/log.ts'

/** Work that has to be done now and then, for as long as the host runs. */
export interface Upkeep {
  stop(): Promise<void>
}

/** One run at a time; a failed one is told and tried again when it is due. */
export function startUpkeep(work: () => Promise<void>, everyMilliseconds: number, log: Log): Upkeep {
  let running: Promise<void> | undefined
  const run = async () => {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error }, 'The upkeep of keys and sessions failed.')
    } finally {
      running = undefined
    }
  }
  const timer = setInterval(() => {
    running ??= run()
  }, everyMilliseconds).unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
