import pg from 'pg'
import { render, type Sql } from '../../src/db/sql.ts'
import { freshContext } from './fresh-context.ts'
import { addressOf } from './fresh-database.ts'

/** A node of a statement's plan, as `explain (analyze, buffers)` shows it; its blocks are those of its parts too. */
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

/** The verbs on a database of their own, for tests of what their statements read of it. */
export async function explainedContext() {
  const { drop, ...fresh } = await freshContext()
  const client = new pg.Client({ connectionString: addressOf(fresh.context.database) })
  await client.connect()
  return {
    ...fresh,
    client,
    /** Replaces the store's connections: each statement is run, its plan is passed on, and `answer` is its result. */
    explaining: (record: (plan: Plan) => unknown, answer: readonly object[] = []) => ({
      async query<Row>(statement: Sql): Promise<Row[]> {
        const { text, values } = render(statement)
        const explained = `explain (analyze, buffers, timing off, format json) ${text}`
        const { rows } = await client.query(explained, [...values])
        await record(rows[0]['QUERY PLAN'][0].Plan)
        return answer as Row[]
      },
    }),
    /** Its project becomes a large one. */
    async addCopiesOfAssignment(id: unknown, count: number) {
      await client.query(
        `insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
        select gen_random_uuid(), 'One of many', start_date, end_date, 1, project_id, workflow_id, user_id, assignment_type_id
        from (select * from assignments where id = $1) as one, generate_series(1, $2::int)`,
        [id, count],
      )
    },
    async drop() {
      await client.end()
      await drop()
    },
  }
}

/** Of the store, 8 KiB each. */
export const blocksOf = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

/** A sum over all parts of a plan. */
export const sumOver = (plan: Plan, figure: (part: Plan) => number): number =>
  (plan.Plans ?? []).reduce((sum, part) => sum + sumOver(part, figure), figure(plan))
