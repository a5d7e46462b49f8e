import { checkConditionsStatement, lockRowsStatement } from './conditional-write.ts'
import { writeRows } from './logged-write.ts'
import { writeManyRows } from './many-rows.ts'
import { blockCommits, type CommitBlock, checkNodes, completeSchema } from './sharded/operator-tasks.ts'
import { ownTables } from './sharded/places.ts'
import * as rows from './sharded/read-rows.ts'
import * as writes from './sharded/write-rows.ts'
import { type Queries, type Sql, type StepwiseStatement, sql } from './sql.ts'
import {
  changedRows,
  changeMessages,
  messagesAbout,
  newestEntries,
  pageOfFeed,
  pageOfList,
  pageOfQuery,
  readableAmong,
  rowWithLastChange,
} from './stepwise-statements.ts'
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

/** Executes one stepwise statement as several statements, one after another. */
type StepwiseRunner = (queries: Queries, input: unknown) => Promise<readonly unknown[]>

const runnerEntry = <Input>(
  { name }: StepwiseStatement<Input>,
  run: (queries: Queries, input: Input) => Promise<readonly unknown[]>,
): [string, StepwiseRunner] => [name, (queries, input) => run(queries, input as Input)]

/** Maps the name of each stepwise statement to the function that executes its steps. */
export const runners: ReadonlyMap<string, StepwiseRunner> = new Map([
  runnerEntry(lockRowsStatement, writes.lock),
  runnerEntry(checkConditionsStatement, async (queries, required) => [
    await writes.lockAndCheck(queries, required),
  ]),
  runnerEntry(writeRows, writes.write),
  runnerEntry(writeManyRows, writes.writeEach),
  runnerEntry(pageOfList, rows.readList),
  runnerEntry(rowWithLastChange, rows.readRow),
  runnerEntry(pageOfQuery, rows.readQuery),
  runnerEntry(changedRows, rows.readChanged),
  runnerEntry(newestEntries, rows.readNewest),
  runnerEntry(readableAmong, rows.readAccessibleEntries),
  runnerEntry(pageOfFeed, rows.readFeed),
  runnerEntry(messagesAbout, rows.readMessages),
  runnerEntry(changeMessages, rows.changeReadableMessages),
])

/** Executes stepwise statements in steps. In `eachInTransaction`, they take effect together. */
const stepwiseExecution: Execution = {
  execute,
  eachInTransaction:
    ({ query, transaction }) =>
    (statement) =>
      statement.stepwise ? transaction((opened) => opened.query(statement)) : query(statement),
  canGroupWrites: () => false,
}

async function execute<Row>(query: Query, statement: Sql): Promise<Row[]> {
  const { stepwise } = statement
  if (!stepwise) return query<Row>(statement)
  const run = runners.get(stepwise.name)
  if (!run) throw new Error(`The sharded store has no steps for the statement: ${stepwise.name}`)
  // A step may be a stepwise statement again, so it is executed in the same way.
  return (await run({ query: (step) => execute(query, step) }, stepwise.input)) as Row[]
}
