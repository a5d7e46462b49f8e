import { readSettings } from '../configuration/settings.ts'
import { distribute } from '../store/distributed/distribute.ts'
import { migrateAndSay, readPrepareSettings } from './prepare-store.ts'

/** `npm run cli -- distribute [SHARDS]`: spreads the rows of a Citus coordinator over its workers; can be run again. */
export async function runDistribute([shards]: readonly string[]): Promise<void> {
  if (shards !== undefined && !/^[1-9]\d{0,2}$/.test(shards))
    throw new Error('How many shards? A number from 1 to 999: npm run cli -- distribute 16')
  const { url } = readSettings(process.env, readPrepareSettings)
  await migrateAndSay(url)
  const done = await distribute(url, shards === undefined ? undefined : Number(shards))
  for (const line of done) console.log(line)
  console.log(
    done.length === 0
      ? 'Everything is where it belongs.'
      : 'Start the hosts. Run `npm run cli -- prepare` first where they have roles of their own.',
  )
}
