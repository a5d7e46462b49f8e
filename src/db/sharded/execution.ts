import { checkConditions, lockRows } from '../conditional-write.ts'
import type { Execution, Query } from '../execution.ts'
import { writeRows } from '../logged-write.ts'
import { writeEachRow } from '../many-rows.ts'
import {
  changedRows,
  changeMessages,
  datedRow,
  messagesAbout,
  newestEntries,
  pageOfFeed,
  pageOfList,
  pageOfQuery,
  readableAmong,
} from '../named-statements.ts'
import type { NamedStatement, Queries, Sql } from '../sql.ts'
import { ask, lock } from './conditions.ts'
import { readFeed, readMessages, readNewest, readReadable, writeMessages } from './read-entries.ts'
import { readChanged, readList, readQuery, readRow } from './read-rows.ts'
import { write, writeEach } from './write-rows.ts'

/** Does the work of one statement in several, each sent after the previous one was answered. */
type Steps = (queries: Queries, pieces: unknown) => Promise<readonly unknown[]>

const stepsOf = <Pieces>(
  { name }: NamedStatement<Pieces>,
  run: (queries: Queries, pieces: Pieces) => Promise<readonly unknown[]>,
): [string, Steps] => [name, (queries, pieces) => run(queries, pieces as Pieces)]

/** A sharded store cannot do these in one statement. */
export const steps: ReadonlyMap<string, Steps> = new Map([
  stepsOf(lockRows, lock),
  stepsOf(checkConditions, async (queries, conditions) => [await ask(queries, conditions)]),
  stepsOf(writeRows, write),
  stepsOf(writeEachRow, writeEach),
  stepsOf(pageOfList, readList),
  stepsOf(datedRow, readRow),
  stepsOf(pageOfQuery, readQuery),
  stepsOf(changedRows, readChanged),
  stepsOf(newestEntries, readNewest),
  stepsOf(readableAmong, readReadable),
  stepsOf(pageOfFeed, readFeed),
  stepsOf(messagesAbout, readMessages),
  stepsOf(changeMessages, writeMessages),
])

/** Executes named statements in steps; those of a write are a transaction. */
export const inSteps: Execution = {
  execute,
  alone:
    ({ query, transaction }) =>
    (statement) =>
      statement.named ? transaction((opened) => opened.query(statement)) : query(statement),
  canShare: () => false,
}

async function execute<Row>(query: Query, statement: Sql): Promise<Row[]> {
  const { named } = statement
  if (!named) return query<Row>(statement)
  const run = steps.get(named.name)
  if (!run) throw new Error(`The sharded store has no steps for the statement: ${named.name}`)
  return (await run({ query: (one) => execute(query, one) }, named.pieces)) as Row[]
}
