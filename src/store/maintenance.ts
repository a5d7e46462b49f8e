export type MaintenanceJob = () => Promise<unknown>

/** Nothing of what is forgotten is missed if it stays some hours longer. */
const betweenRunsMilliseconds = 60 * 60_000

/**
 * Runs the jobs now and then, as long as the process lives. Each is safe beside another instance that does the same:
 * both delete what nobody reads any more.
 */
export function startMaintenance(
  jobs: readonly MaintenanceJob[],
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  const runAll = async () => {
    for (const job of jobs) await job().catch(onFailure)
  }
  // Instances that started together do not all sweep together.
  const timer = setInterval(
    () => {
      running = runAll()
    },
    betweenRunsMilliseconds * (0.5 + Math.random()),
  )
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
