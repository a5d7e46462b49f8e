import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDistributed } from './distribute.ts'

export interface CommitBlock {
  /** Takes the snapshot of a repeatable-read transaction on every node, and then lets commits continue. */
  takeNodeSnapshots(client: pg.Client): Promise<void>
  release(): Promise<void>
}

/**
 * Blocks commits until every node has taken its snapshot. Each node takes its own snapshot at its first query, so
 * without a block they would show different instants. On a single node, does nothing.
 */
export async function blockCommits(url: string): Promise<CommitBlock> {
  const client = new pg.Client({ connectionString: url, application_name: 'backup' })
  client.on('error', () => undefined)
  await client.connect()
  let isOpen = true
  const release = async () => {
    if (!isOpen) return
    isOpen = false
    await client.end().catch(() => undefined)
  }
  try {
    if (!(await isDistributed(client))) {
      await release()
      return { release, takeNodeSnapshots: async () => undefined }
    }
    await waitForLock(client)
  } catch (error) {
    await release()
    throw error
  }
  return {
    release,
    async takeNodeSnapshots(reader) {
      // Uses one connection for each node. The query reads from every node, which takes its snapshot.
      await reader.query('set local citus.max_adaptive_executor_pool_size = 1')
      await reader.query('select 1 from assignments limit 1')
      await release()
    },
  }
}

/**
 * Every transaction on several nodes writes to this table, and keeps its lock until it is committed on each of them.
 * The lock could cause a deadlock with two hosts, so it times out before the database detects that, and is retried.
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
