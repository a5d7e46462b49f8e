import type { Caller } from '../../model/caller.ts'
import { labelOf, type Reading, rejected } from '../../model/field.ts'
import { isLongerThan, isStorable, timestamp, uuid } from '../../model/field-kinds.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { type QueryColumn, queryColumns } from '../../resources/query-columns.ts'
import {
  filterCharactersMax,
  filterComparisonsMax,
  filterDepthMax,
  filterTextCharactersMax,
  idsMax,
} from '../list-query.ts'

export type FilterReading = { readonly filter: Filter } | { readonly problems: readonly string[] }

/** Parses the grammar in `docs/reading.md`, and reports all errors in fields and values, in their order. */
export function parseFilter(listed: Listed, caller: Caller, input: string): FilterReading {
  if (input.length > filterCharactersMax)
    return { problems: [`Filter must be at most ${filterCharactersMax} characters.`] }
  const problems: string[] = []
  try {
    const source = sourceOf(listed, caller, parseTokens(input), problems)
    const filter = parseAny(source, 1)
    const { kind, at } = source.peek()
    if (kind !== 'end') throw new FilterError(`At character ${at} only and, or, or the end can follow.`)
    if (countOf(filter) > filterComparisonsMax)
      problems.push(`It has more than ${filterComparisonsMax} comparisons.`)
    if (problems.length === 0) return { filter }
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    problems.push(error.message)
  }
  return { problems: problems.map((problem) => `Filter: ${problem}`) }
}

function parseAny(source: Source, depth: number): Filter {
  const any = [parseAll(source, depth)]
  while (isWord(source.peek(), 'or')) {
    source.take()
    any.push(parseAll(source, depth))
  }
  return any.length === 1 && any[0] ? any[0] : { any }
}

function parseAll(source: Source, depth: number): Filter {
  const all = [parseOne(source, depth)]
  while (isWord(source.peek(), 'and')) {
    source.take()
    all.push(parseOne(source, depth))
  }
  return all.length === 1 && all[0] ? all[0] : { all }
}

function parseOne(source: Source, depth: number): Filter {
  const token = source.peek()
  if (depth > filterDepthMax)
    throw new FilterError(`At character ${token.at} it is nested more than ${filterDepthMax} deep.`)
  if (isWord(token, 'not')) {
    source.take()
    return { not: parseOne(source, depth + 1) }
  }
  if (!isSign(token, '(')) return parseComparison(source)
  source.take()
  const inner = parseAny(source, depth + 1)
  const closing = source.take()
  if (!isSign(closing, ')')) throw new FilterError(`At character ${closing.at} a ) is missing.`)
  return inner
}

function countOf(filter: Filter): number {
  if ('not' in filter) return countOf(filter.not)
  if ('column' in filter) return 1
  const parts = 'all' in filter ? filter.all : filter.any
  return parts.reduce((sum, part) => sum + countOf(part), 0)
}

/** A parsed filter within its limits. */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | Comparison

export interface Comparison {
  readonly column: string
  readonly shape: Shape
  readonly operator: Operator
  /** Has one value, unless the operator is `in`. */
  readonly values: readonly Value[]
}

export type Shape = 'text' | 'uuid' | 'timestamp' | 'number'
export type Value = string | number | null
export type Operator = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge' | 'in' | 'contains' | 'startsWith'

/** The operators that each kind of column supports. */
const operatorsOf: Readonly<Record<Shape, readonly Operator[]>> = {
  text: ['eq', 'ne', 'in', 'contains', 'startsWith'],
  uuid: ['eq', 'ne', 'in'],
  timestamp: ['eq', 'ne', 'lt', 'le', 'gt', 'ge'],
  number: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in'],
}

/** Parses `field operator value` or `field in (value, value)`. */
function parseComparison(source: Source): Comparison {
  const column = parseColumn(source)
  const operator = parseOperator(source, column)
  const values = operator === 'in' ? parseValues(source, column) : [parseValue(source, column, operator)]
  return { column: column?.name ?? '', shape: column?.shape ?? 'text', operator, values }
}

/** Returns undefined for an unknown field, so that the rest of the filter can still be parsed. */
function parseColumn({ listed, problems, take }: Source): QueryColumn | undefined {
  const { kind, text, at } = take()
  if (kind !== 'word') throw new FilterError(`At character ${at} a field of ${listed.pluralNoun} is missing.`)
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

function parseOperator({ problems, take }: Source, column: QueryColumn | undefined): Operator {
  const { text, at } = take()
  if (!operators.includes(text))
    throw new FilterError(`At character ${at} an operator is missing: ${operators.join(', ')}.`)
  const possible: readonly string[] = column ? operatorsOf[column.shape] : operators
  if (!possible.includes(text))
    problems.push(`${column?.name} at character ${at} is compared by ${possible.join(', ')}, not by ${text}.`)
  return text as Operator
}

function parseValues(source: Source, column: QueryColumn | undefined): readonly Value[] {
  const { at } = source.peek()
  if (!isSign(source.take(), '('))
    throw new FilterError(`At character ${at} the values of in are missing: (value, value).`)
  const values = [parseValue(source, column, 'in')]
  while (isSign(source.peek(), ',')) {
    source.take()
    values.push(parseValue(source, column, 'in'))
  }
  const closing = source.take()
  if (!isSign(closing, ')')) throw new FilterError(`At character ${closing.at} a , or ) is missing.`)
  if (values.length > idsMax)
    source.problems.push(`The values of in at character ${at} are more than ${idsMax}.`)
  return values
}

function parseValue(source: Source, column: QueryColumn | undefined, operator: Operator): Value {
  const token = source.take()
  if (!isValue(token))
    throw new FilterError(
      `At character ${token.at} a value is missing: a number, a text in single quotes, null or me.`,
    )
  if (!column) return null
  const reading = parseLiteral(source, column, operator, token)
  if ('value' in reading) return reading.value
  source.problems.push(`At character ${token.at}: ${reading.problems.join(' ')}`)
  return null
}

const isValue = ({ kind, text }: Token) =>
  kind === 'number' || kind === 'text' || (kind === 'word' && (text === 'null' || text === 'me'))

function parseLiteral(
  { caller }: Source,
  column: QueryColumn,
  operator: Operator,
  { kind, text }: Token,
): Reading<Value> {
  const label = labelOf(column.name)
  if (kind === 'word') return text === 'null' ? nullIn(column, operator, label) : own(caller, column, label)
  if (column.shape === 'number') {
    return kind === 'number'
      ? { value: Number(text) }
      : rejected(`${label} must be a number, without quotes.`)
  }
  return kind === 'text'
    ? textReaders[column.shape](text, label)
    : rejected(`${label} must be in single quotes.`)
}

function nullIn({ isNullable }: QueryColumn, operator: Operator, label: string): Reading<null> {
  if (!isNullable) return rejected(`${label} is never null.`)
  return operator === 'eq' || operator === 'ne'
    ? { value: null }
    : rejected('Null is compared by eq and ne only.')
}

const own = (caller: Caller, { isAccount }: QueryColumn, label: string): Reading<string> =>
  isAccount ? { value: caller.id } : rejected(`${label} is no account, so it is never me.`)

/** The tokens of a filter, taken one after another, and the problems found so far. */
interface Source {
  readonly listed: Listed
  readonly caller: Caller
  readonly problems: string[]
  peek(): Token
  take(): Token
}

function sourceOf(listed: Listed, caller: Caller, tokens: readonly Token[], problems: string[]): Source {
  let next = 0
  // The last token is the end, which is never passed.
  const peek = () => tokens[Math.min(next, tokens.length - 1)] as Token
  return {
    listed,
    caller,
    problems,
    peek,
    take() {
      const token = peek()
      next += 1
      return token
    },
  }
}

const isWord = ({ kind, text }: Token, word: string): boolean => kind === 'word' && text === word
const isSign = ({ kind, text }: Token, sign: string): boolean => kind === 'sign' && text === sign

interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'sign' | 'end'
  readonly text: string
  /** The position of its first character, counted from 1. */
  readonly at: number
}

/** The first syntax error ends the parsing. */
class FilterError extends Error {}

const pattern =
  /\s*(?:(?<word>[A-Za-z][A-Za-z0-9]*)|(?<number>-?\d{1,15}(?:\.\d{1,6})?(?![\w.]))|'(?<text>(?:[^']|'')*)'|(?<sign>[(),]))/y

const kinds = ['word', 'number', 'text', 'sign'] as const

/**
 * Splits the input into words, numbers, texts in single quotes, parentheses and commas, ending with `end`.
 */
function parseTokens(input: string): readonly Token[] {
  const tokens: Token[] = []
  const end = input.trimEnd().length
  pattern.lastIndex = 0
  while (pattern.lastIndex < end) {
    const start = pattern.lastIndex
    const at = start + (/^\s*/.exec(input.slice(start))?.[0].length ?? 0) + 1
    const groups = pattern.exec(input)?.groups ?? {}
    const kind = kinds.find((one) => groups[one] !== undefined)
    if (kind === undefined)
      throw new FilterError(
        `At character ${at} stands something that is no word, number, text in single quotes, parenthesis or comma.`,
      )
    const text = groups[kind] ?? ''
    tokens.push({ kind, at, text: kind === 'text' ? text.replaceAll("''", "'") : text })
  }
  return [...tokens, { kind: 'end', text: '', at: end + 1 }]
}

type TextReader = (text: string, label: string) => Reading<string>

/** Parses a value from text, by the kind of its column, and rejects all that the database would reject. */
export const textReaders: Readonly<Record<Exclude<Shape, 'number'>, TextReader>> = {
  text(text, label) {
    if (!isStorable(text)) return rejected(`${label} contains a character that cannot be stored.`)
    return isLongerThan(text, filterTextCharactersMax)
      ? rejected(`${label} must be at most ${filterTextCharactersMax} characters.`)
      : { value: text }
  },
  uuid: (text, label) => uuid.read(text, label),
  timestamp: (text, label) => timestamp.read(text, label),
}
