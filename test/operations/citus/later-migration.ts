// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import pg from 'pg'
import { splitStatements } from '../../../src/db/sql.ts'

/** Applies a migration, such as a later version may have, to a distributed store, and rolls it back. */
const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
await client.connect()
await client.query('begin')
const migration = `
  create table approvals (
    id uuid primary key,
    name text not null check (char_length(name) <= 200),
    assignment_id uuid not null,
    user_id uuid not null references users,
    active boolean not null default true
  );
  create index approvals_assignment on approvals (assignment_id, id) where active;
  select keep_with_assignment('approvals');
  alter table assignments add column estimated_by text;
  alter table assignments add constraint assignments_estimated_by_check check (char_length(estimated_by) <= 200);
  alter table projects add column code text not null default '';
  create index assignments_estimated on assignments (estimated_by) where active;
  create table favourites (user_id uuid not null references users, row_id uuid not null, primary key (user_id, row_id))`
for (const statement of splitStatements(migration)) await client.query(statement)
const { rows } = await client.query<{ place: string }>(`
  select column_to_column_name(logicalrelid, partkey) as place from pg_dist_partition
  where logicalrelid = 'approvals'::regclass`)
// These queries read every node.
await client.query('select estimated_by, count(*) from assignments group by estimated_by')
await client.query('select count(*) from approvals join assignments on assignments.id = assignment_id')
await client.query('rollback')
await client.end()
if (rows[0]?.place !== 'assignment_id') throw new Error('A later migration does not reach the nodes.')
console.log(
  'A later migration reaches every node: a table of assignments, columns, an index, a table of accounts.',
)
