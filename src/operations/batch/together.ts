import { Problem } from '../../model/problem.ts'
import type { Queries } from '../../store/database.ts'
import type { Row } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Outcome, ReadyItem } from './batch-item.ts'

/** All items at once; if that is refused, one by one, to find which of them is refused. */
export async function together(
  transaction: Queries,
  items: readonly ReadyItem[],
  work: (ids: readonly string[]) => Promise<void>,
): Promise<Outcome[]> {
  const workOn = async (ids: readonly string[]) => {
    await work(ids)
    return undefined
  }
  if (items.length > 1) {
    const { refusal } = await attempt(transaction, () => workOn(items.flatMap(({ ids }) => ids)))
    if (!refusal) return items.map(({ index }) => ({ index }))
  }
  return eachAlone(transaction, items, ({ ids }) => workOn(ids))
}

/** What one item did before it was refused is undone. */
export async function eachAlone(
  transaction: Queries,
  items: readonly ReadyItem[],
  work: (item: ReadyItem) => Promise<Row | undefined>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const item of items)
    outcomes.push({ index: item.index, ...(await attempt(transaction, () => work(item))) })
  return outcomes
}

async function attempt(
  transaction: Queries,
  work: () => Promise<Row | undefined>,
): Promise<Pick<Outcome, 'refusal' | 'row'>> {
  await transaction.query(sql`savepoint item`)
  try {
    const row = await work()
    return row ? { row } : {}
  } catch (error) {
    // Anything else ends the transaction, and a conflict begins it again.
    if (!(error instanceof Problem)) throw error
    await transaction.query(sql`rollback to savepoint item`)
    return { refusal: error }
  } finally {
    await transaction.query(sql`release savepoint item`).catch(() => undefined)
  }
}
