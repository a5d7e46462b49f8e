/** Waits between attempts; together they outlast a restart of the database on the same machine. */
const waitsMilliseconds = [10, 40, 160, 640]

/** Runs the attempt again as long as its failure may pass and there is time left, up to four times. */
export async function retried<Result>(
  mayPass: (error: unknown) => boolean,
  attempt: () => Promise<Result>,
  endsAt = Number.POSITIVE_INFINITY,
): Promise<Result> {
  for (const wait of waitsMilliseconds) {
    try {
      return await attempt()
    } catch (error) {
      if (!mayPass(error) || performance.now() + wait > endsAt) throw error
      await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
  }
  return attempt()
}
