import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDistributed } from './distribute.ts'

export interface HeldCommits {
  /** Makes a transaction of repeatable reads see this moment on every node, and lets commits go on. */
  seenBy(client: pg.Client): Promise<void>
  goOn(): Promise<void>
}

/**
 * Every node has a snapshot of its own, taken when it is first asked. So that those of a transaction are of one moment, no change is
 * committed between the first and the last of them. On one node there is nothing to hold.
 */
export async function holdCommits(url: string): Promise<HeldCommits> {
  const client = new pg.Client({ connectionString: url, application_name: 'backup' })
  client.on('error', () => undefined)
  await client.connect()
  let isOpen = true
  const goOn = async () => {
    if (!isOpen) return
    isOpen = false
    await client.end().catch(() => undefined)
  }
  try {
    if (!(await isDistributed(client))) {
      await goOn()
      return { goOn, seenBy: async () => undefined }
    }
    await waitForLock(client)
  } catch (error) {
    await goOn()
    throw error
  }
  return {
    goOn,
    async seenBy(reader) {
      // One connection to each node, whose snapshot is taken by this look at a part of every one.
      await reader.query('set local citus.max_adaptive_executor_pool_size = 1')
      await reader.query('select 1 from assignments limit 1')
      await goOn()
    },
  }
}

/**
 * Every change of several nodes writes to this table, and keeps its lock until it is committed on each of them. Two hosts could wait
 * for each other by way of this one, so it gives up before the store would have to choose, and tries again.
 */
async function waitForLock(client: pg.Client): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`begin; set local lock_timeout = '${lockMilliseconds}ms'`)
      await client.query('lock table two_phase_commits in exclusive mode')
      return
    } catch (error) {
      await client.query('rollback')
      if ((error as { code?: string }).code !== '55P03' || tries === triesMax) throw error
      await sleep(lockMilliseconds * Math.random())
    }
  }
}

/** Less than the second after which the store looks for transactions that wait for each other. */
const lockMilliseconds = 500
const triesMax = 60
