import { asWritten, type Execution, type Query } from './execution.ts'
import { checkNodes } from './sharded/check-nodes.ts'
import { completeSchema } from './sharded/distribute.ts'
import { inSteps } from './sharded/execution.ts'
import { holdCommits } from './sharded/hold-commits.ts'
import { ownTables } from './sharded/placement.ts'
import { sql } from './sql.ts'

/** A store is a single PostgreSQL, or a sharded one, which `src/db/sharded/` implements. */

/**
 * Tasks of operators and migrations. Each detects the kind of store, and on a single PostgreSQL does nothing.
 */
export const storeTasks = { checkNodes, completeSchema, holdCommits, ownTables }

/** Chooses the execution for the store, which is asked once, before the first named statement. */
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

/** `distribute` creates this table. */
const isDistributed = sql`select to_regclass('row_places') is not null as "isDistributed"`
