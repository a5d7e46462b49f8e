import { repeat } from '../schedule/repeat.ts'

/** Half a second more makes no difference. */
const lookMilliseconds = 500

/**
 * npm passes a signal on to its shell only, which ends without a word to the program it runs. The program then has
 * another parent: from that it concludes that it should stop.
 */
export function stopWithNpm(stop: () => Promise<void>): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const looking = repeat({ everyMilliseconds: lookMilliseconds }, async () => {
    if (process.ppid === parent) return
    void looking.stop()
    console.log('Stopping, because npm has ended …')
    await stop()
    process.exit()
  })
}
