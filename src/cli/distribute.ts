import { readSettings } from '../configuration/settings.ts'
import { distribute } from '../store/distributed/distribute.ts'
import { migrateAndSay, readPrepareSettings } from './prepare-store.ts'

/** `npm run cli -- distribute`: spreads the rows of a Citus coordinator over its workers; can be run again. */
export async function runDistribute(): Promise<void> {
  const { url } = readSettings(process.env, readPrepareSettings)
  await migrateAndSay(url)
  const done = await distribute(url)
  for (const line of done) console.log(line)
  console.log(
    done.length === 0
      ? 'Everything is where it belongs.'
      : 'Start the hosts. Run `npm run cli -- prepare` first where they have roles of their own.',
  )
}
