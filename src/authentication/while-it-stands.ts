import { unauthenticated } from '../model/problem.ts'
import type { Database, Queries } from '../store/database.ts'
import type { Authenticated } from './authenticate.ts'

/** The same database, whose every transaction asks first whether the sign-in still stands. */
export function whileItStands(database: Database, { standsNow }: Pick<Authenticated, 'standsNow'>): Database {
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (queries) => {
      if (!(await standsNow(queries))) throw unauthenticated()
      return work(queries)
    })
  const single: Queries = { query: (statement) => transaction(({ query }) => query(statement)) }
  return { ...database, single, transaction }
}
