import { stepwiseExecution } from './sharded/execution.ts'
import { blockCommits, type CommitBlock, checkNodes, completeSchema } from './sharded/operator-tasks.ts'
import { ownTables } from './sharded/places.ts'
import { sql } from './sql.ts'
import type { Execution, Query } from './transactions.ts'

/**
 * Parts of commands and migrations that only a sharded store needs. On a single PostgreSQL, each function
 * does nothing.
 */
export const storeTasks = { checkNodes, completeSchema, blockCommits, ownTables }

export type { CommitBlock }

/**
 * Sends each statement as it is, or in steps if the store is sharded. The first stepwise statement detects
 * that.
 */
export function chooseExecution(query: Query): Execution {
  let isSharded: boolean | undefined
  const choose = async () => {
    const [row] = await query<{ isDistributed: boolean }>(isDistributed)
    isSharded = row?.isDistributed === true
  }
  const execution: Execution = {
    execute(query, statement) {
      if (isSharded === false || !statement.stepwise) return query(statement)
      if (isSharded) return stepwiseExecution.execute(query, statement)
      return choose().then(() => execution.execute(query, statement))
    },
    eachInTransaction(send) {
      const inTransactions = stepwiseExecution.eachInTransaction(send)
      const execute: Query = (statement) => {
        if (isSharded === false || !statement.stepwise) return send.query(statement)
        return isSharded ? inTransactions(statement) : choose().then(() => execute(statement))
      }
      return execute
    },
    canGroupWrites: () => isSharded === false,
  }
  return execution
}

/** `distribute` creates this table. */
const isDistributed = sql`select to_regclass('row_places') is not null as "isDistributed"`
