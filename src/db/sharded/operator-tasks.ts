import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { withClient } from '../connections.ts'
import { splitStatements } from '../sql.ts'
import { assignmentTables, droppedReferences, referenceTables, referenceTablesLockId } from './places.ts'

/**
 * At most this number of nodes can share the rows. More shards would make lists slower, because a list
 * queries every shard.
 */
const defaultShards = 8

/** Spreads the rows over the nodes that the coordinator knows, and reports what it did, if anything. */
export const distribute = (url: string, shards = defaultShards): Promise<string[]> =>
  withClient(url, 'distribute', async (client) => {
    await requireWorkers(client)
    await client.query('begin')
    try {
      const done = await distributeWithin(client, shards)
      await client.query('commit')
      await client.query(await sequentialModifyStatement(client))
      return done
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      throw error
    }
  })

async function requireWorkers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isCitus: boolean }>(
    `select to_regclass('pg_dist_node') is not null as "isCitus"`,
  )
  if (!rows[0]?.isCitus)
    throw new Error(
      'This store is not a Citus coordinator. Add citus to shared_preload_libraries, then run: create extension citus',
    )
  const { rows: nodes } = await client.query<{ isCoordinator: boolean }>(
    `select groupid = 0 as "isCoordinator" from pg_dist_node where isactive and noderole = 'primary'`,
  )
  if (!nodes.some(({ isCoordinator }) => isCoordinator))
    throw new Error("The coordinator has no address yet: select citus_set_coordinator_host('its address')")
  if (nodes.every(({ isCoordinator }) => isCoordinator))
    throw new Error("There is no worker yet: select citus_add_node('its address', 5432)")
}

async function distributeWithin(client: pg.Client, shards: number): Promise<string[]> {
  await client.query(`set local citus.shard_count = ${shards}; set local client_min_messages = warning`)
  await client.query(createPlacesTable)
  await client.query(addTableToNodes)
  await defineFunctions(client)
  const { rows } = await client.query<{ name: string }>(
    `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h' or repmodel = 't'`,
  )
  const isLocal = (table: string) => rows.every(({ name }) => name !== table)
  const children = assignmentTables.filter(isLocal)
  await dropTriggers(client, isLocal)
  await dropForeignKeys(client, children)
  const done: string[] = []
  for (const table of referenceTables.filter(isLocal)) {
    await client.query(insertPlacesStatement(table))
    await client.query(`select create_reference_table('${table}')`)
    done.push(`${table}: all rows on every node.`)
  }
  if (isLocal('assignments')) {
    await client.query(insertPlacesStatement('assignments'))
    await client.query(`select create_distributed_table('assignments', 'id')`)
    done.push(`assignments: spread over the nodes by their ids, in ${shards} shards.`)
  }
  for (const table of children) {
    await client.query(`select keep_with_assignment('${table}')`)
    done.push(`${table}: on the node of their assignment.`)
  }
  return done
}

/**
 * Citus does not distribute tables with triggers. It also rejects `drop trigger` if a distributed table does not
 * have the trigger. The trigger `keep_milliseconds` only serves earlier releases.
 */
async function dropTriggers(client: pg.Client, isLocal: (table: string) => boolean): Promise<void> {
  for (const table of [...referenceTables, 'assignments', ...assignmentTables].filter(isLocal))
    await client.query(`drop trigger if exists keep_milliseconds on ${table}`)
  for (const { trigger, table } of triggers.filter((each) => isLocal(each.table)))
    await client.query(`drop trigger if exists ${trigger} on ${table}`)
}

/** A local table cannot refer to a distributed one. */
async function dropForeignKeys(client: pg.Client, children: readonly string[]): Promise<void> {
  for (const table of children)
    await client.query(`alter table ${table} drop constraint ${table}_assignment_id_fkey`)
  for (const { table, constraint } of droppedReferences)
    await client.query(`alter table ${table} drop constraint if exists ${constraint}`)
}

/** In a sharded store, the program sets the values of these triggers (`write-rows.ts`). */
export const triggers = [
  { trigger: 'give_project_key', table: 'projects' },
  { trigger: 'give_assignment_number', table: 'assignments' },
  { trigger: 'give_number_of_moved', table: 'assignments' },
] as const

/** The existence of this table marks a store as sharded. */
export const createPlacesTable = `
  create table if not exists row_places (
    table_name text not null,
    id uuid not null,
    assignment_id uuid,
    primary key (id, table_name)
  );
  insert into row_places (table_name, id) values ('', '${referenceTablesLockId}') on conflict do nothing;
  create table if not exists two_phase_commits (id integer primary key)`

const addTableToNodes = `
  select citus_add_local_table_to_metadata('two_phase_commits')
    where not exists (select from pg_dist_partition where logicalrelid = 'two_phase_commits'::regclass)`

const insertPlacesStatement = (table: string) => `
  insert into row_places (table_name, id) select '${table}', id from ${table} on conflict do nothing`

/** Limits connections to one per node. Several connections would not see each other's uncommitted writes. */
async function sequentialModifyStatement(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name')
  return `alter database ${pg.escapeIdentifier(rows[0]?.name ?? '')} set citus.multi_shard_modify_mode = 'sequential'`
}

/** Replaces functions that migrations have defined for a single node with functions for several nodes. */
export async function completeSchema(client: pg.Client): Promise<void> {
  if (await isDistributed(client)) await defineFunctions(client)
}

/** Defines the functions that differ in a sharded store. */
async function defineFunctions(client: pg.Client): Promise<void> {
  const text = await readFile(new URL('./functions.sql', import.meta.url), 'utf8')
  for (const statement of splitStatements(text)) await client.query(statement)
}

async function isDistributed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isDistributed: boolean }>(
    `select to_regclass('row_places') is not null as "isDistributed"`,
  )
  return rows[0]?.isDistributed === true
}

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
      // Takes the snapshot on every node, with one connection per node.
      await reader.query('set local citus.max_adaptive_executor_pool_size = 1')
      await reader.query('select 1 from assignments limit 1')
      await release()
    },
  }
}

/**
 * Locks `two_phase_commits`. Every transaction on several nodes writes to this table, and keeps its lock
 * until it is committed on each of them. Waiting for the lock could cause a deadlock with two hosts, so the
 * wait times out before the database detects a deadlock, and is repeated.
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
