/** Longer than any host takes to finish its requests, once it has left; then the process ends without asking. */
const stopSecondsMax = 20

/** Wrappers such as npm and timeout pass a signal on that the terminal has sent to everybody: that is no second request. */
const sameSignalMilliseconds = 1000

/** Returns how to stop everything started so far, last first. Ctrl-C does so and ends the process; once more, at once. */
export function stopOnSignal(stops: (() => Promise<void>)[], drainSeconds: number): () => Promise<void> {
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopAll(stops, drainSeconds + stopSecondsMax)
    return stopping
  }
  let signalledAt = Number.NaN
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (performance.now() - signalledAt < sameSignalMilliseconds) return
      if (stopping !== undefined) process.exit(1)
      signalledAt = performance.now()
      console.log('Stopping …')
      void stop().then(() => process.exit())
    })
  }
  return stop
}

async function stopAll(stops: (() => Promise<void>)[], secondsMax: number) {
  setTimeout(() => process.exit(1), secondsMax * 1000).unref()
  for (;;) {
    const stop = stops.pop()
    if (stop === undefined) return
    await stop().catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
  }
}
