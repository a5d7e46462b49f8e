import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDistributed } from './distribute.ts'
import { assignmentTables, referenceTables } from './places.ts'

interface Finding {
  readonly subject: 'nodes'
  readonly result: string
  readonly severity: 'ok' | 'warning' | 'error'
  readonly advice?: string
}

const ok = (result: string): Finding => ({ subject: 'nodes', result, severity: 'ok' })
const warning = (result: string, advice: string): Finding => ({
  subject: 'nodes',
  result,
  severity: 'warning',
  advice,
})
const error = (result: string, advice: string): Finding => ({
  subject: 'nodes',
  result,
  severity: 'error',
  advice,
})

/** Reports on the nodes; returns nothing if the store is a single PostgreSQL. */
export async function checkNodes(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ isDistributed: boolean; isCitus: boolean }>(
    `select to_regclass('row_places') is not null as "isDistributed", to_regclass('pg_dist_node') is not null as "isCitus"`,
  )
  const [store] = rows
  if (store?.isDistributed) return [...(await checkEach(client)), ...(await checkTables(client))]
  if (!store?.isCitus) return []
  return [
    warning(
      'Citus is installed, but all rows are on this node',
      'Stop the hosts, then: npm run cli -- distribute',
    ),
  ]
}

async function checkEach(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ node: string; answered: boolean; answer: string; shards: number }>(
    `select format('%s:%s', node.nodename, node.nodeport) as node, success as answered, result as answer,
       (select count(*)::int from pg_dist_placement join pg_dist_shard using (shardid)
        where logicalrelid = 'assignments'::regclass and pg_dist_placement.groupid = node.groupid) as shards
     from run_command_on_workers('select count(*) from pg_prepared_xacts where prepared < now() - interval ''5 minutes''') as reply
       join pg_dist_node as node on node.nodename = reply.nodename and node.nodeport = reply.nodeport`,
  )
  return rows.map(({ node, answered, answer, shards }) => {
    if (!answered)
      return error(`${node} does not answer: ${answer}`, 'Start it, or its standby in its place.')
    if (answer !== '0')
      return error(
        `${node} has ${answer} transactions that were prepared more than five minutes ago`,
        'The coordinator should end them within a minute: check its log, or select recover_prepared_transactions()',
      )
    return ok(`${node} has ${shards} shards of assignments`)
  })
}

async function checkTables(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name
     where not exists (select from pg_dist_partition where logicalrelid = name::regclass and (partmethod = 'h' or repmodel = 't'))`,
    [[...referenceTables, ...assignmentTables, 'assignments']],
  )
  return rows.map(({ name }) =>
    error(`${name} is on the coordinator only`, 'Stop the hosts, then: npm run cli -- distribute'),
  )
}

export interface CommitBlock {
  /** Takes the snapshot of a repeatable-read transaction on every node, and then lets commits continue. */
  takeNodeSnapshots(client: pg.Client): Promise<void>
  release(): Promise<void>
}

/**
 * Blocks commits until every node has taken its snapshot. Each node takes its own snapshot at its first
 * query, so without a block they would show different instants. On a single node, does nothing.
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
      // Uses one connection for each node. The query reads from every node, so each takes its snapshot.
      await reader.query('set local citus.max_adaptive_executor_pool_size = 1')
      await reader.query('select 1 from assignments limit 1')
      await release()
    },
  }
}

/**
 * Every transaction on several nodes writes to this table, and keeps its lock until it is committed on each
 * of them. Waiting for the lock could cause a deadlock with two hosts, so the wait times out before the database
 * detects a deadlock, and is repeated.
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
