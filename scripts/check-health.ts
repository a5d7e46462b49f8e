// The health check of a container: exits with 0 if the URL in the first argument responds with success.
const answerMilliseconds = 4000

const response = await fetch(process.argv[2] ?? '', {
  signal: AbortSignal.timeout(answerMilliseconds),
}).catch(() => undefined)
process.exitCode = response?.ok ? 0 : 1
