import type { Caller } from '../../model/caller.ts'
import { labelOf, type Reading, refused } from '../../model/field.ts'
import { type QueryColumn, queryColumns } from '../../resources/query-columns.ts'
import { idsMax } from '../limits.ts'
import { type Comparison, type Operator, operatorsOf, type Value } from './filter.ts'
import { isSign, type Source } from './filter-source.ts'
import { FilterFault, type Token } from './filter-tokens.ts'
import { textReaders } from './text-readers.ts'

/** field operator value, or: field in (value, value) */
export function readComparison(source: Source): Comparison {
  const column = readColumn(source)
  const operator = readOperator(source, column)
  const values = operator === 'in' ? readValues(source, column) : [readValue(source, column, operator)]
  return { column: column?.name ?? '', shape: column?.shape ?? 'text', operator, values }
}

/** Undefined for an unknown field; the rest of the filter can still be read. */
function readColumn({ listed, problems, take }: Source): QueryColumn | undefined {
  const { kind, text, at } = take()
  if (kind !== 'word') throw new FilterFault(`At character ${at} a field of ${listed.pluralNoun} is missing.`)
  const columns = queryColumns(listed)
  const column = columns.find(({ name }) => name === text)
  const names = columns.map(({ name }) => name).join(', ')
  if (!column)
    problems.push(
      `${text} at character ${at} is no field that ${listed.pluralNoun} are filtered by. These are: ${names}.`,
    )
  return column
}

const operators: readonly string[] = [...new Set(Object.values(operatorsOf).flat())]

function readOperator({ problems, take }: Source, column: QueryColumn | undefined): Operator {
  const { text, at } = take()
  if (!operators.includes(text))
    throw new FilterFault(`At character ${at} an operator is missing: ${operators.join(', ')}.`)
  const possible: readonly string[] = column ? operatorsOf[column.shape] : operators
  if (!possible.includes(text))
    problems.push(`${column?.name} at character ${at} is compared by ${possible.join(', ')}, not by ${text}.`)
  return text as Operator
}

function readValues(source: Source, column: QueryColumn | undefined): readonly Value[] {
  const { at } = source.peek()
  if (!isSign(source.take(), '('))
    throw new FilterFault(`At character ${at} the values of in are missing: (value, value).`)
  const values = [readValue(source, column, 'in')]
  while (isSign(source.peek(), ',')) {
    source.take()
    values.push(readValue(source, column, 'in'))
  }
  const closing = source.take()
  if (!isSign(closing, ')')) throw new FilterFault(`At character ${closing.at} a , or ) is missing.`)
  if (values.length > idsMax)
    source.problems.push(`The values of in at character ${at} are more than ${idsMax}.`)
  return values
}

function readValue(source: Source, column: QueryColumn | undefined, operator: Operator): Value {
  const token = source.take()
  if (!isValue(token))
    throw new FilterFault(
      `At character ${token.at} a value is missing: a number, a text in single quotes, null or me.`,
    )
  if (!column) return null
  const reading = readLiteral(source, column, operator, token)
  if ('value' in reading) return reading.value
  source.problems.push(`At character ${token.at}: ${reading.problems.join(' ')}`)
  return null
}

const isValue = ({ kind, text }: Token) =>
  kind === 'number' || kind === 'text' || (kind === 'word' && (text === 'null' || text === 'me'))

function readLiteral(
  { caller }: Source,
  column: QueryColumn,
  operator: Operator,
  { kind, text }: Token,
): Reading<Value> {
  const label = labelOf(column.name)
  if (kind === 'word') return text === 'null' ? nullIn(column, operator, label) : own(caller, column, label)
  if (column.shape === 'number') {
    return kind === 'number' ? { value: Number(text) } : refused(`${label} must be a number, without quotes.`)
  }
  return kind === 'text'
    ? textReaders[column.shape](text, label)
    : refused(`${label} must be in single quotes.`)
}

function nullIn({ isNullable }: QueryColumn, operator: Operator, label: string): Reading<null> {
  if (!isNullable) return refused(`${label} is never null.`)
  return operator === 'eq' || operator === 'ne'
    ? { value: null }
    : refused('Null is compared by eq and ne only.')
}

const own = (caller: Caller, { isAccount }: QueryColumn, label: string): Reading<string> =>
  isAccount ? { value: caller.id } : refused(`${label} is no account, so it is never me.`)
