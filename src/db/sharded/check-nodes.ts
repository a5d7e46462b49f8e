import type pg from 'pg'
import { referenceTables, withAssignment } from './placement.ts'

interface Finding {
  readonly subject: 'nodes'
  readonly found: string
  readonly grade: 'fine' | 'look' | 'wrong'
  readonly advice?: string
}

const fine = (found: string): Finding => ({ subject: 'nodes', found, grade: 'fine' })
const look = (found: string, advice: string): Finding => ({ subject: 'nodes', found, grade: 'look', advice })
const wrong = (found: string, advice: string): Finding => ({
  subject: 'nodes',
  found,
  grade: 'wrong',
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
        look(
          'Citus is here, and all rows are on this node',
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
     from run_command_on_workers('select count(*) from pg_prepared_xacts where prepared < now() - interval ''5 minutes''') as asked
       join pg_dist_node as node on node.nodename = asked.nodename and node.nodeport = asked.nodeport`,
  )
  return rows.map(({ node, answered, answer, shards }) => {
    if (!answered)
      return wrong(`${node} does not answer: ${answer}`, 'Start it, or its standby in its place.')
    if (answer !== '0')
      return wrong(
        `${node} has ${answer} transactions that were prepared more than five minutes ago`,
        'Look at the log of the coordinator: it ends them itself, every minute. select recover_prepared_transactions()',
      )
    return fine(`${node} has ${shards} shards of assignments`)
  })
}

async function checkTables(client: pg.Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name
     where not exists (select from pg_dist_partition where logicalrelid = name::regclass and (partmethod = 'h' or repmodel = 't'))`,
    [[...referenceTables, ...withAssignment, 'assignments']],
  )
  return rows.map(({ name }) =>
    wrong(`${name} is on the coordinator only`, 'Stop the hosts, then: npm run cli -- distribute'),
  )
}
