import { setTimeout as sleep } from 'node:timers/promises'

interface Server {
  readonly url: string
  stop(): Promise<void>
}

/** A server that was killed is there again at once; one whose disk is full is tried until there is room. */
const firstWaitMilliseconds = 100
const waitMilliseconds = 2000

/**
 * Starts a server, and starts it again whenever it ends although nobody asked it to, under the same address. `onFault` is told
 * why it ended, why the first try failed, and when it runs again.
 */
export async function keepRunning(
  start: (onExit: (reason: string) => void) => Promise<Server>,
  onFault: (sentence: string) => void,
): Promise<Server> {
  const stopping = new AbortController()
  const begin = () =>
    start((reason) => {
      if (stopping.signal.aborted) return
      onFault(reason)
      current = again()
    })
  const again = async (): Promise<Server | undefined> => {
    let wait = firstWaitMilliseconds
    for (;;) {
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return undefined
      const server = await begin().catch((error: Error) => {
        if (wait === firstWaitMilliseconds) onFault(`${error.message}\nIt is tried again until it starts.`)
      })
      wait = waitMilliseconds
      if (server === undefined) continue
      onFault('The database runs again.')
      return server
    }
  }
  const first = await begin()
  let current: Promise<Server | undefined> = Promise.resolve(first)
  return {
    url: first.url,
    async stop() {
      stopping.abort()
      await (await current)?.stop()
    },
  }
}
