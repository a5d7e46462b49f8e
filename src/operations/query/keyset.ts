import type { QueryColumn } from '../../resources/query-columns.ts'
import { column } from '../../store/columns.ts'
import { allOf, join, raw, type Sql, sql } from '../../store/sql.ts'
import type { Value } from './filter.ts'
import { typed } from './filter-condition.ts'

export interface SortKey {
  readonly column: QueryColumn
  readonly isDescending: boolean
}

const nameOf = ({ column: { name } }: SortKey): Sql => sql`row.${column(name)}`

/** As the store sorts by itself: empty values last, and first where it is descending. */
export const orderBy = (keys: readonly SortKey[]): Sql =>
  join(
    keys.map((key) => sql`${nameOf(key)} ${raw(key.isDescending ? 'desc' : 'asc')}`),
    ', ',
  )

/** The rows that come after this one in the order. The keys end with the id, so no two rows are equal. */
export function behind(keys: readonly SortKey[], place: readonly Value[]): Sql {
  const [first] = keys
  const isPlain = keys.every(
    ({ column: { isNullable }, isDescending }) => !isNullable && isDescending === first?.isDescending,
  )
  return isPlain ? behindTogether(keys, place) : behindEach(keys, place)
}

/** One comparison of whole rows, which the store can answer from an index. */
const behindTogether = (keys: readonly SortKey[], place: readonly Value[]): Sql =>
  sql`(${join(keys.map(nameOf), ', ')}) ${raw(keys[0]?.isDescending ? '<' : '>')} (${join(
    keys.map(({ column: { shape } }, index) => typed(shape, place[index] ?? null)),
    ', ',
  )})`

/** Rows that are equal in the keys before this one, and come after it by this key. */
const behindEach = (keys: readonly SortKey[], place: readonly Value[]): Sql =>
  sql`(${join(
    keys.map((key, index) =>
      allOf([
        ...keys.slice(0, index).map((before, at) => equals(before, place[at] ?? null)),
        behindIn(key, place[index] ?? null),
      ]),
    ),
    ' or ',
  )})`

const equals = (key: SortKey, value: Value): Sql =>
  value === null ? sql`${nameOf(key)} is null` : sql`${nameOf(key)} = ${typed(key.column.shape, value)}`

function behindIn(key: SortKey, value: Value): Sql {
  const name = nameOf(key)
  const {
    isDescending,
    column: { isNullable, shape },
  } = key
  if (value === null) return isDescending ? sql`${name} is not null` : raw('false')
  const beyond = sql`${name} ${raw(isDescending ? '<' : '>')} ${typed(shape, value)}`
  return isNullable && !isDescending ? sql`(${beyond} or ${name} is null)` : beyond
}
