import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDistributed } from './distribute.ts'

export interface HeldCommits {
  /** Makes a repeatable-read transaction see this instant on every node, and lets commits continue. */
  seenBy(client: pg.Client): Promise<void>
  goOn(): Promise<void>
}

/**
 * Every node takes its own snapshot at its first query. So that the snapshots of a transaction show the same
 * instant, commits are blocked between the first and the last of them. A single node needs no block.
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
      // Opens one connection to each node, whose snapshot is taken by this query on a part of each.
      await reader.query('set local citus.max_adaptive_executor_pool_size = 1')
      await reader.query('select 1 from assignments limit 1')
      await goOn()
    },
  }
}

/**
 * Every change of several nodes writes to this table, and keeps its lock until it is committed on each of
 * them. Two hosts could deadlock through this lock, so it times out before the deadlock detection of the
 * database, and is retried.
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

/** Less than the second after which the database looks for deadlocks. */
const lockMilliseconds = 500
const triesMax = 60
