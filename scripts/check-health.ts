/** Ends with 0 when the address in the first argument answers that it is well: what a container's health check runs. */
const answerMilliseconds = 4000

const response = await fetch(process.argv[2] ?? '', {
  signal: AbortSignal.timeout(answerMilliseconds),
}).catch(() => undefined)
process.exitCode = response?.ok ? 0 : 1
