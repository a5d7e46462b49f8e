import type { Execution, Query } from './execution.ts'
import { checkNodes } from './sharded/check-nodes.ts'
import { completeSchema } from './sharded/distribute.ts'
import { inSteps } from './sharded/execution.ts'
import { type HeldCommits, holdCommits } from './sharded/hold-commits.ts'
import { ownTables } from './sharded/placement.ts'
import { sql } from './sql.ts'

/** A store is a single PostgreSQL, or a sharded one, which `src/db/sharded/` implements. */

/**
 * Tasks of operators and migrations. Each detects the kind of store, and on a single PostgreSQL does nothing.
 */
export const storeTasks = { checkNodes, completeSchema, holdCommits, ownTables }

export type { HeldCommits }

/** Sends each statement as it is written, or in steps; the store is asked once, before the first named one. */
export function chooseExecution(ask: Query): Execution {
  let isSharded: boolean | undefined
  const choose = async () => {
    const [row] = await ask<{ isDistributed: boolean }>(isDistributed)
    isSharded = row?.isDistributed === true
  }
  const execution: Execution = {
    execute(query, statement) {
      if (isSharded === false || !statement.named) return query(statement)
      if (isSharded) return inSteps.execute(query, statement)
      return choose().then(() => execution.execute(query, statement))
    },
    alone(senders) {
      const inTransactions = inSteps.alone(senders)
      const execute: Query = (statement) => {
        if (isSharded === false || !statement.named) return senders.query(statement)
        return isSharded ? inTransactions(statement) : choose().then(() => execute(statement))
      }
      return execute
    },
    canShare: () => isSharded === false,
  }
  return execution
}

/** `distribute` creates this table. */
const isDistributed = sql`select to_regclass('row_places') is not null as "isDistributed"`
