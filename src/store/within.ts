import type { Database, Queries } from './database.ts'

/** The same database, whose writes are a part of this transaction: they are committed with it, or not at all. */
export const within = (database: Database, transaction: Queries): Database => ({
  ...database,
  single: transaction,
  transaction: (work) => work(transaction),
})
