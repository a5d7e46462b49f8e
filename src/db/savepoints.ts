import { Problem } from '../model/problem.ts'
import { type Queries, sql } from './sql.ts'

export type Attempt<Result> = { readonly result: Result } | { readonly problem: Problem }

/** Does part of a transaction. If that is rejected, only this part is rolled back. */
export async function attempt<Result>(
  transaction: Queries,
  work: () => Promise<Result>,
): Promise<Attempt<Result>> {
  await transaction.query(sql`savepoint attempt`)
  try {
    return { result: await work() }
  } catch (error) {
    // Any other error ends the transaction, and a conflict restarts it.
    if (!(error instanceof Problem)) throw error
    await transaction.query(sql`rollback to savepoint attempt`)
    return { problem: error }
  } finally {
    await transaction.query(sql`release savepoint attempt`).catch(() => undefined)
  }
}
