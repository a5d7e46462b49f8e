import type { Sql } from './sql.ts'

export type Query = <Row>(statement: Sql) => Promise<Row[]>

/** Defines how statements are executed. */
export interface Execution {
  /** Executes a statement on a connection, or within a transaction; `query` sends it. */
  execute<Row>(query: Query, statement: Sql): Promise<Row[]>
  /** Executes a statement that is a transaction of its own. */
  executeAlone<Row>(senders: Senders, statement: Sql): Promise<Row[]>
  /** Whether one statement may write for several callers. */
  canShare(): boolean
}

export interface Senders {
  readonly query: Query
  readonly transaction: <Result>(
    work: (transaction: { readonly query: Query }) => Promise<Result>,
  ) => Promise<Result>
}

/** Sends each statement as it is written. */
export const asWritten: Execution = {
  execute: (query, statement) => query(statement),
  executeAlone: ({ query }, statement) => query(statement),
  canShare: () => true,
}
