import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { withClient } from '../connections.ts'
import { splitStatements } from '../sql.ts'
import { assignmentTables, droppedReferences, referenceTables, referenceTablesLockId } from './places.ts'

/**
 * At most this many nodes can share the rows, because a shard is on one node. More shards would make lists and
 * counts slower, because these query every shard.
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

/** Triggers whose values the program sets in a sharded store (`write-rows.ts`). */
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

/** Limits connections to one per node: several would not see each other's uncommitted writes. */
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

export async function isDistributed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isDistributed: boolean }>(
    `select to_regclass('row_places') is not null as "isDistributed"`,
  )
  return rows[0]?.isDistributed === true
}
