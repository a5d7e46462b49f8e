import type { Queries } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'
import { invalid } from '../model/problem.ts'

/** An assignment, its sub-assignments, and theirs. */
export const levelsMax = 3
export const subAssignmentsMax = 100

interface Part {
  readonly id: string
  readonly parentId: string | null
}

/**
 * The lock of the project keeps all parents of its assignments as they are meanwhile, so several writes cannot close a circle or
 * add levels together. Removed assignments count too: they may be restored.
 */
export async function rejectDeepOrCircular(transaction: Queries, ids: readonly string[]): Promise<void> {
  const written = await readParts(transaction, sql`id = any(${ids}::uuid[])`)
  const above = await follow(
    transaction,
    written,
    ({ parentId }) => parentId,
    (next) => sql`id = any(${next}::uuid[])`,
  )
  const below = await follow(
    transaction,
    written,
    ({ id }) => id,
    (next) => sql`parent_id = any(${next}::uuid[])`,
  )
  const parents = new Map([...above, ...below].map(({ id, parentId }) => [id, parentId]))
  for (const id of parents.keys()) if (levelOf(parents, id) > levelsMax) throw invalid({ parentId: tooDeep })
}

const tooDeep = [`Assignments may be nested at most ${levelsMax} levels deep, and never within themselves.`]

/** Reads the written assignments and those that they lead to, a level further with each statement. */
async function follow(
  transaction: Queries,
  written: readonly Part[],
  keyOf: (part: Part) => string | null,
  conditionOf: (keys: readonly unknown[]) => Sql,
): Promise<readonly Part[]> {
  const found = [...written]
  let last = written
  for (let level = 1; level <= levelsMax && last.length > 0; level += 1) {
    const keys = [...new Set(last.map(keyOf))].filter((key) => key !== null)
    last = keys.length === 0 ? [] : await readParts(transaction, conditionOf(keys))
    found.push(...last)
  }
  return found
}

const readParts = (transaction: Queries, condition: Sql): Promise<Part[]> =>
  transaction.query<Part>(sql`select id, parent_id as "parentId" from assignments where ${condition}`)

/** One more than `levelsMax` stands for any number of further levels, and for a circle. */
function levelOf(parents: ReadonlyMap<string, string | null>, id: string): number {
  let level = 0
  for (let one: string | null | undefined = id; one && level <= levelsMax; one = parents.get(one)) level += 1
  return level
}
