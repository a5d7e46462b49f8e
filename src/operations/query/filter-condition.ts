import { comparedColumn } from '../../store/columns.ts'
import { matchedLiterally } from '../../store/matched-literally.ts'
import { join, raw, type Sql, sql } from '../../store/sql.ts'
import type { Comparison, Filter, Operator, Shape, Value } from './filter.ts'

/** The condition on a row called `row`. Every value is a parameter. */
export function filterCondition(filter: Filter): Sql {
  if ('all' in filter) return sql`(${join(filter.all.map(filterCondition), ' and ')})`
  if ('any' in filter) return sql`(${join(filter.any.map(filterCondition), ' or ')})`
  // A comparison with an empty value counts as false, not as unknown. So every row matches either a filter or its negation.
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
  moment: 'timestamptz',
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

/** With its type, which the store would otherwise take from the column: an integer column would refuse 1.5 with an error. */
export const typed = (shape: Shape, value: Value): Sql => sql`${value}::${raw(types[shape])}`
