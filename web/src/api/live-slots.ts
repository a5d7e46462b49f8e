/** Of the six connections a browser has to a host for all its windows; the others are for what is read and saved. */
const slots = ['tracker.live.1', 'tracker.live.2', 'tracker.live.3', 'tracker.live.4']

/** Runs with one of the connections that may stay open, held until the end; or, while other windows have all of them, without. */
export async function withLiveSlot<Value>(run: (hasSlot: boolean) => Promise<Value>): Promise<Value> {
  for (const slot of slots) {
    const result = await navigator.locks.request(slot, { ifAvailable: true }, async (lock) =>
      lock === null ? undefined : { value: await run(true) },
    )
    if (result !== undefined) return result.value
  }
  return run(false)
}
