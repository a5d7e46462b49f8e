/** Longer than any host takes to finish its requests; then the process ends without asking. */
const stopSecondsMax = 20

/** Returns how to stop everything started so far, last first; Ctrl-C does so too, and twice ends at once. */
export function stopOnSignal(stops: (() => Promise<void>)[]): (reason?: string) => Promise<void> {
  let stopping: Promise<void> | undefined
  const stop = (reason?: string) => {
    if (reason !== undefined) {
      console.error(reason)
      process.exitCode = 1
    }
    stopping ??= stopAll(stops)
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping !== undefined) process.exit(1)
      console.log('Stopping …')
      void stop()
    })
  }
  return stop
}

async function stopAll(stops: (() => Promise<void>)[]) {
  setTimeout(() => process.exit(1), stopSecondsMax * 1000).unref()
  for (;;) {
    const stop = stops.pop()
    if (stop === undefined) break
    await stop().catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
  }
  // Nothing that is left may keep the process.
  process.exit()
}
