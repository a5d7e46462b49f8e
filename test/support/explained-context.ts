import pg from 'pg'
import { render, type Sql } from '../../src/db/sql.ts'
import { freshContext } from './fresh-context.ts'
import { addressOf } from './fresh-database.ts'

/** A node of a plan by `explain (analyze, buffers)`. Its blocks include the blocks of its children. */
export interface Plan {
  readonly 'Relation Name'?: string
  readonly Filter?: string
  readonly 'Recheck Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

/** Opens a database and a context, for tests of the plans of statements. */
export async function explainedContext() {
  const { drop, ...fresh } = await freshContext()
  const client = new pg.Client({ connectionString: addressOf(fresh.context.database) })
  await client.connect()
  return {
    ...fresh,
    client,
    /**
     * A database that executes each statement with `explain (analyze)`, passes the plan to `record`, and
     * returns `resultRows` instead of its rows.
     */
    explaining: (record: (plan: Plan) => unknown, resultRows: readonly object[] = []) => ({
      async query<Row>(statement: Sql): Promise<Row[]> {
        const { text, values } = render(statement)
        const explained = `explain (analyze, buffers, timing off, format json) ${text}`
        const { rows } = await client.query(explained, [...values])
        await record(rows[0]['QUERY PLAN'][0].Plan)
        return resultRows as Row[]
      },
    }),
    /** Makes the project of the assignment large. */
    async addCopiesOfAssignment(id: unknown, count: number) {
      await client.query(
        `insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
        select gen_random_uuid(), 'One of many', start_date, end_date, 1, project_id, workflow_id, user_id, assignment_type_id
        from (select * from assignments where id = $1) as template, generate_series(1, $2::int)`,
        [id, count],
      )
    },
    async drop() {
      await client.end()
      await drop()
    },
  }
}

/** The result of a list or query that finds nothing. An explained statement returns its plan instead. */
export const emptyResult = [{ id: null, totalCount: 0, lastChangeSecond: null }]

/** Returns the number of blocks that a plan has read, 8 KiB each. */
export const blocksOf = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

export const sumOver = (plan: Plan, measure: (node: Plan) => number): number =>
  (plan.Plans ?? []).reduce((sum, node) => sum + sumOver(node, measure), measure(plan))
