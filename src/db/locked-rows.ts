import { namedStatement, raw, type Sql, sql } from './sql.ts'

export type Strength = 'update' | 'no key update' | 'key share'

/** Rows called `row` that are locked until the transaction ends, in the order of their ids. */
export interface Locking {
  readonly table: string
  readonly columns: Sql
  readonly where: Sql
  /** `update` blocks new references, `no key update` allows them, `key share` is the lock of a reference. */
  readonly strength: Strength
  /** `where` may name the row of `input` that has the same id. */
  readonly isOfInput?: boolean
  /** Skips rows that another transaction has locked. */
  readonly waitsForNobody?: true
}

export type LockedRows = Sql & { readonly locking: Locking }

export const lockRows = namedStatement<Locking>('lock rows')

export function lockedRows(locking: Locking): LockedRows {
  const { table, columns, where, strength, isOfInput, waitsForNobody } = locking
  const input = raw(isOfInput ? ' join input on input.id = row.id' : '')
  const lock = raw(`for ${strength} of row${waitsForNobody ? ' skip locked' : ''}`)
  const statement = sql`select ${columns} from ${raw(`"${table}"`)} as row${input} where ${where} order by row.id ${lock}`
  return { ...lockRows.of(locking, statement), locking }
}
