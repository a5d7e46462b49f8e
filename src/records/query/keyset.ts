import { hash } from 'node:crypto'
import { column, comparedColumn } from '../../db/columns.ts'
import { allOf, join, matchedLiterally, raw, type Sql, sql } from '../../db/sql.ts'
import type { QueryColumn } from '../../resources/query-columns.ts'
import {
  type Comparison,
  type Filter,
  type Operator,
  type Shape,
  textReaders,
  type Value,
} from './parse-filter.ts'

export interface SortKey {
  readonly column: QueryColumn
  readonly isDescending: boolean
}

const nameOf = ({ column: { name } }: SortKey): Sql => sql`row.${column(name)}`

/** Sorts as PostgreSQL does by default: nulls last, and first in descending order. */
export const orderBy = (keys: readonly SortKey[]): Sql =>
  join(
    keys.map((key) => sql`${nameOf(key)} ${raw(key.isDescending ? 'desc' : 'asc')}`),
    ', ',
  )

/** The rows after this one in the order. The keys end with the id, so no two rows are equal. */
export function behind(keys: readonly SortKey[], place: readonly Value[]): Sql {
  const [first] = keys
  const isPlain = keys.every(
    ({ column: { isNullable }, isDescending }) => !isNullable && isDescending === first?.isDescending,
  )
  return isPlain ? behindTogether(keys, place) : behindEach(keys, place)
}

/** Compares whole rows at once, which the database can answer from an index. */
const behindTogether = (keys: readonly SortKey[], place: readonly Value[]): Sql =>
  sql`(${join(keys.map(nameOf), ', ')}) ${raw(keys[0]?.isDescending ? '<' : '>')} (${join(
    keys.map(({ column: { shape } }, index) => typed(shape, place[index] ?? null)),
    ', ',
  )})`

/** The rows that are equal in the keys before this one, and come after it by this key. */
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

/**
 * Encodes the position after one row: its sort values and its id. The checksum only ensures that we issued it
 * for this list, order and filter. A cursor is no secret and grants no access, because every request that
 * uses it is checked again.
 */
export const writeCursor = (question: string, place: readonly Value[]): string => {
  const text = Buffer.from(JSON.stringify(place)).toString('base64url')
  return `${text}.${checkOf(question, text)}`
}

/** Returns undefined for text that is no cursor. */
export function parseCursor(
  question: string,
  keys: readonly SortKey[],
  cursor: string,
): readonly Value[] | undefined {
  const [text = '', check, ...more] = cursor.split('.')
  if (more.length > 0 || check !== checkOf(question, text)) return undefined
  const place = parsed(text)
  const fits = Array.isArray(place) && place.length === keys.length
  return fits && keys.every((key, index) => isPossible(key, place[index])) ? place : undefined
}

const checkOf = (question: string, text: string): string =>
  hash('sha256', `${question}\n${text}`, 'base64url').slice(0, 16)

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/**
 * Any client can compute the checksum, so the values are checked before they reach the database, which would
 * fail on invalid ones.
 */
function isPossible({ column: { isNullable, shape } }: SortKey, value: unknown): boolean {
  if (value === null) return isNullable
  if (shape === 'number') return Number.isFinite(value)
  return typeof value === 'string' && 'value' in textReaders[shape](value, '')
}

/** The condition on a row called `row`. Every value is a parameter. */
export function filterCondition(filter: Filter): Sql {
  if ('all' in filter) return sql`(${join(filter.all.map(filterCondition), ' and ')})`
  if ('any' in filter) return sql`(${join(filter.any.map(filterCondition), ' or ')})`
  // A comparison with null counts as false, not as unknown. So every row matches either a filter or its
  // negation.
  if ('not' in filter) return sql`(${filterCondition(filter.not)} is not true)`
  return comparisonCondition(filter)
}

function comparisonCondition({ column: name, shape, operator, values }: Comparison): Sql {
  const left = comparedColumn(name)
  if (operator === 'in') return sql`${left} = any(${values}::${raw(types[shape])}[])`
  const [value = null] = values
  if (value === null) return sql`${left} ${raw(operator === 'eq' ? 'is null' : 'is not null')}`
  if (operator === 'contains') return sql`${left} ilike ${`%${matchedLiterally(String(value))}%`}`
  if (operator === 'startsWith') return sql`${left} ilike ${`${matchedLiterally(String(value))}%`}`
  return sql`${left} ${raw(signs[operator])} ${typed(shape, value)}`
}

const types: Readonly<Record<Shape, string>> = {
  text: 'text',
  uuid: 'uuid',
  timestamp: 'timestamptz',
  number: 'numeric',
}

const signs: Readonly<Record<Exclude<Operator, 'in' | 'contains' | 'startsWith'>, string>> = {
  eq: '=',
  ne: 'is distinct from',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
}

/** Adds the type, which would otherwise be that of the column: an integer column would fail on 1.5. */
const typed = (shape: Shape, value: Value): Sql => sql`${value}::${raw(types[shape])}`
