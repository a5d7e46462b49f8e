import { asWritten, type Execution, type Query } from './execution.ts'
import { checkNodes } from './sharded/check-nodes.ts'
import { completeSchema } from './sharded/distribute.ts'
import { inSteps } from './sharded/execution.ts'
import { holdCommits } from './sharded/hold-commits.ts'
import { ownTables } from './sharded/placement.ts'
import { sql } from './sql.ts'

/** There are two kinds of store: one PostgreSQL, and several nodes, whose ways of doing things are in `src/db/sharded/`. */

/** Tasks of operators and migrations. Each asks the store which kind it is; with one PostgreSQL there is nothing to do. */
export const storeTasks = { checkNodes, completeSchema, holdCommits, ownTables }

/** The execution that fits the store, which is asked once, before the first named statement. */
export function chooseExecution(ask: Query): Execution {
  let known: Execution | undefined
  const choose = async (): Promise<Execution> => {
    const [row] = await ask<{ isDistributed: boolean }>(isDistributed)
    known = row?.isDistributed ? inSteps : asWritten
    return known
  }
  return {
    execute(query, statement) {
      if (known || !statement.named) return (known ?? asWritten).execute(query, statement)
      return choose().then((chosen) => chosen.execute(query, statement))
    },
    executeAlone(senders, statement) {
      if (known || !statement.named) return (known ?? asWritten).executeAlone(senders, statement)
      return choose().then((chosen) => chosen.executeAlone(senders, statement))
    },
    canShare: () => known?.canShare() ?? false,
  }
}

/** `distribute` makes this table. */
const isDistributed = sql`select to_regclass('row_places') is not null as "isDistributed"`
