import { checkConditionsStatement, lockRowsStatement } from '../conditional-write.ts'
import { writeRows } from '../logged-write.ts'
import { writeManyRows } from '../many-rows.ts'
import type { Queries, Sql, StepwiseStatement } from '../sql.ts'
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
} from '../stepwise-statements.ts'
import type { Execution, Query } from '../transactions.ts'
import * as rows from './read-rows.ts'
import * as writes from './write-rows.ts'

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
export const stepwiseExecution: Execution = {
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
