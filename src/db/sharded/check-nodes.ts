import type pg from 'pg'
import { assignmentTables, referenceTables } from './placement.ts'

interface Finding {
  readonly subject: 'nodes'
  readonly result: string
  readonly grade: 'ok' | 'warning' | 'error'
  readonly advice?: string
}

const ok = (result: string): Finding => ({ subject: 'nodes', result, grade: 'ok' })
const warning = (result: string, advice: string): Finding => ({
  subject: 'nodes',
  result,
  grade: 'warning',
  advice,
})
const error = (result: string, advice: string): Finding => ({
  subject: 'nodes',
  result,
  grade: 'error',
  advice,
})

/** Reports on the nodes; returns nothing if the store is a single PostgreSQL. */
export async function checkNodes(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ isDistributed: boolean; isCitus: boolean }>(
    `select to_regclass('row_places') is not null as "isDistributed", to_regclass('pg_dist_node') is not null as "isCitus"`,
  )
  const [store] = rows
  if (store?.isDistributed) return [...(await checkEach(client)), ...(await checkTables(client))]
  return store?.isCitus
    ? [
        warning(
          'Citus is installed, but all rows are on this node',
          'Stop the hosts, then: npm run cli -- distribute',
        ),
      ]
    : []
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
