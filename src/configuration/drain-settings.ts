import type { Settings } from './settings.ts'

/** Longer than any balancer takes to notice. */
const drainSecondsMax = 300

/** How long hosts go on serving once they have said that they stop: as long as what stands before them takes to notice. */
export const readDrainSettings = (settings: Settings) => ({
  drainSeconds: settings.wholeNumber('DRAIN_SECONDS', 0, { min: 0, max: drainSecondsMax }),
})
