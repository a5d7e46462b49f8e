import { hash } from 'node:crypto'
import { column, comparableColumn } from '../../db/columns.ts'
import { allOf, escapeLike, join, raw, type Sql, sql } from '../../db/sql.ts'
import type { QueryColumn } from '../../resources/derived.ts'
import {
  type Comparison,
  type Filter,
  type Operator,
  type Shape,
  textParsers,
  type Value,
} from './parse-filter.ts'

export interface SortKey {
  readonly column: QueryColumn
  readonly isDescending: boolean
}

const columnOf = ({ column: { name } }: SortKey): Sql => sql`row.${column(name)}`

/** Sorts as PostgreSQL does by default: nulls last, and first in descending order. */
export const orderBy = (keys: readonly SortKey[]): Sql =>
  join(
    keys.map((key) => sql`${columnOf(key)} ${raw(key.isDescending ? 'desc' : 'asc')}`),
    ', ',
  )

/** Selects the rows that follow the row with these values. The keys end with the id, so no two rows are equal. */
export function isAfter(keys: readonly SortKey[], after: readonly Value[]): Sql {
  const [first] = keys
  const isComparableAsTuple = keys.every(
    ({ column: { isNullable }, isDescending }) => !isNullable && isDescending === first?.isDescending,
  )
  return isComparableAsTuple ? isAfterAsTuple(keys, after) : isAfterKeyByKey(keys, after)
}

/** Compares whole rows at once. The database can answer this from an index. */
const isAfterAsTuple = (keys: readonly SortKey[], after: readonly Value[]): Sql =>
  sql`(${join(keys.map(columnOf), ', ')}) ${raw(keys[0]?.isDescending ? '<' : '>')} (${join(
    keys.map(({ column: { shape } }, index) => cast(shape, after[index] ?? null)),
    ', ',
  )})`

/** For each key, selects rows that are equal in all earlier keys and come later by this key. */
const isAfterKeyByKey = (keys: readonly SortKey[], after: readonly Value[]): Sql =>
  sql`(${join(
    keys.map((key, index) =>
      allOf([
        ...keys.slice(0, index).map((earlier, position) => equals(earlier, after[position] ?? null)),
        isAfterInKey(key, after[index] ?? null),
      ]),
    ),
    ' or ',
  )})`

const equals = (key: SortKey, value: Value): Sql =>
  value === null ? sql`${columnOf(key)} is null` : sql`${columnOf(key)} = ${cast(key.column.shape, value)}`

function isAfterInKey(key: SortKey, value: Value): Sql {
  const name = columnOf(key)
  const {
    isDescending,
    column: { isNullable, shape },
  } = key
  if (value === null) return isDescending ? sql`${name} is not null` : raw('false')
  const beyond = sql`${name} ${raw(isDescending ? '<' : '>')} ${cast(shape, value)}`
  return isNullable && !isDescending ? sql`(${beyond} or ${name} is null)` : beyond
}

/**
 * Encodes the sort values and the id of the last row of a page. The checksum detects a cursor of another
 * list, order, filter or instant. The cursor grants no access.
 */
export const encodeCursor = (scope: string, after: readonly Value[]): string => {
  const text = Buffer.from(JSON.stringify(after)).toString('base64url')
  return `${text}.${checksumOf(scope, text)}`
}

/** Returns undefined if the text is not a cursor of this scope. */
export function decodeCursor(
  scope: string,
  keys: readonly SortKey[],
  cursor: string,
): readonly Value[] | undefined {
  const [text = '', checksum, ...more] = cursor.split('.')
  if (more.length > 0 || checksum !== checksumOf(scope, text)) return undefined
  const values = parseJson(text)
  const hasEveryKey = Array.isArray(values) && values.length === keys.length
  return hasEveryKey && keys.every((key, index) => isValidValue(key, values[index])) ? values : undefined
}

/** 16 characters are 96 bits, so the cursor of another query does not match by chance. */
const checksumOf = (scope: string, text: string): string =>
  hash('sha256', `${scope}\n${text}`, 'base64url').slice(0, 16)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Any client can compute the checksum, so the values are checked before they reach the database. */
function isValidValue({ column: { isNullable, shape } }: SortKey, value: unknown): boolean {
  if (value === null) return isNullable
  if (shape === 'number') return Number.isFinite(value)
  if (shape === 'boolean') return typeof value === 'boolean'
  return typeof value === 'string' && 'value' in textParsers[shape](value, '')
}

/** Converts a filter to a condition on a row called `row`. Every value is a parameter. */
export function filterCondition(filter: Filter): Sql {
  if ('all' in filter) return sql`(${join(filter.all.map(filterCondition), ' and ')})`
  if ('any' in filter) return sql`(${join(filter.any.map(filterCondition), ' or ')})`
  // A comparison with null counts as false, not as unknown. So every row matches either a filter or its
  // negation.
  if ('not' in filter) return sql`(${filterCondition(filter.not)} is not true)`
  return comparisonCondition(filter)
}

function comparisonCondition({ column: name, shape, operator, values }: Comparison): Sql {
  const left = comparableColumn(name)
  if (operator === 'in') return sql`${left} = any(${values}::${raw(types[shape])}[])`
  const [value = null] = values
  if (value === null) return sql`${left} ${raw(operator === 'eq' ? 'is null' : 'is not null')}`
  if (operator === 'contains') return sql`${left} ilike ${`%${escapeLike(String(value))}%`}`
  if (operator === 'startsWith') return sql`${left} ilike ${`${escapeLike(String(value))}%`}`
  return sql`${left} ${raw(sqlOperators[operator])} ${cast(shape, value)}`
}

const types: Readonly<Record<Shape, string>> = {
  text: 'text',
  uuid: 'uuid',
  timestamp: 'timestamptz',
  number: 'numeric',
  boolean: 'boolean',
}

const sqlOperators: Readonly<Record<Exclude<Operator, 'in' | 'contains' | 'startsWith'>, string>> = {
  eq: '=',
  ne: 'is distinct from',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
}

/** Adds a cast. Without it PostgreSQL assumes the column's type, and an integer column would fail on 1.5. */
const cast = (shape: Shape, value: Value): Sql => sql`${value}::${raw(types[shape])}`
