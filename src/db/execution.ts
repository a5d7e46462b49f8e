import type { Sql } from './sql.ts'

export type Query = <Row>(statement: Sql) => Promise<Row[]>

/** Defines how statements are executed. */
export interface Execution {
  /** Executes a statement on a connection, or within a transaction; `query` sends it. */
  execute<Row>(query: Query, statement: Sql): Promise<Row[]>
  /** Executes statements that are a transaction each. */
  alone(senders: Senders): Query
  /** Whether one statement may write for several callers. */
  canShare(): boolean
}

export interface Senders {
  readonly query: Query
  readonly transaction: <Result>(
    work: (transaction: { readonly query: Query }) => Promise<Result>,
  ) => Promise<Result>
}
