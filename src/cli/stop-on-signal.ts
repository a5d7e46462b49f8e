/** Longer than any host takes to finish its requests; then the process ends without asking. */
const stopSecondsMax = 20

/** Returns how to stop everything started so far, last first. Ctrl-C does so and ends the process; twice, at once. */
export function stopOnSignal(stops: (() => Promise<void>)[]): () => Promise<void> {
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopAll(stops)
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping !== undefined) process.exit(1)
      console.log('Stopping …')
      void stop().then(() => process.exit())
    })
  }
  return stop
}

async function stopAll(stops: (() => Promise<void>)[]) {
  setTimeout(() => process.exit(1), stopSecondsMax * 1000).unref()
  for (;;) {
    const stop = stops.pop()
    if (stop === undefined) return
    await stop().catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
  }
}
