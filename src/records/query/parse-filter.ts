import type { Caller } from '../../model/caller.ts'
import { capitalize, type Parsed, parseFailure } from '../../model/field.ts'
import { isLongerThan, isStorable, timestamp, uuid } from '../../model/field-kinds.ts'
import type { ListedResource } from '../../resources/define-resource.ts'
import { type QueryColumn, queryColumns } from '../../resources/derived.ts'
import { idsMax } from '../list-query.ts'

/** The four limits suffice in practice, and keep the cost of parsing and planning negligible. */
export const filterCharactersMax = 2000
const comparisonsMax = 20
const depthMax = 5
const textCharactersMax = 256

export type ParsedFilter = { readonly filter: Filter } | { readonly problems: readonly string[] }

/** Parses the grammar in `docs/reading.md`, and reports all errors in fields and values, in their order. */
export function parseFilter(resource: ListedResource, caller: Caller, input: string): ParsedFilter {
  if (input.length > filterCharactersMax)
    return { problems: [`Filter must be at most ${filterCharactersMax} characters.`] }
  const problems: string[] = []
  try {
    const parser = createParser(resource, caller, parseTokens(input), problems)
    const filter = parseOr(parser, 1)
    const { kind, at } = parser.peek()
    if (kind !== 'end')
      throw new FilterError(`At character ${at}: expected and, or, or the end of the filter.`)
    if (countComparisons(filter) > comparisonsMax)
      problems.push(`It has more than ${comparisonsMax} comparisons.`)
    if (problems.length === 0) return { filter }
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    problems.push(error.message)
  }
  return { problems: problems.map((problem) => `Filter: ${problem}`) }
}

function parseOr(parser: Parser, depth: number): Filter {
  const any = [parseAnd(parser, depth)]
  while (isWord(parser.peek(), 'or')) {
    parser.take()
    any.push(parseAnd(parser, depth))
  }
  return any.length === 1 && any[0] ? any[0] : { any }
}

function parseAnd(parser: Parser, depth: number): Filter {
  const all = [parseTerm(parser, depth)]
  while (isWord(parser.peek(), 'and')) {
    parser.take()
    all.push(parseTerm(parser, depth))
  }
  return all.length === 1 && all[0] ? all[0] : { all }
}

function parseTerm(parser: Parser, depth: number): Filter {
  const token = parser.peek()
  if (depth > depthMax)
    throw new FilterError(`At character ${token.at}: nested more than ${depthMax} levels deep.`)
  if (isWord(token, 'not')) {
    parser.take()
    return { not: parseTerm(parser, depth + 1) }
  }
  if (!isPunctuation(token, '(')) return parseComparison(parser)
  parser.take()
  const inner = parseOr(parser, depth + 1)
  const closing = parser.take()
  if (!isPunctuation(closing, ')')) throw new FilterError(`At character ${closing.at}: expected ).`)
  return inner
}

function countComparisons(filter: Filter): number {
  if ('not' in filter) return countComparisons(filter.not)
  if ('column' in filter) return 1
  const parts = 'all' in filter ? filter.all : filter.any
  return parts.reduce((sum, part) => sum + countComparisons(part), 0)
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

export type Shape = QueryColumn['shape']
export type Value = string | number | boolean | null
export type Operator = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge' | 'in' | 'contains' | 'startsWith'

/** The operators that each kind of column supports. */
const operatorsOf: Readonly<Record<Shape, readonly Operator[]>> = {
  text: ['eq', 'ne', 'in', 'contains', 'startsWith'],
  uuid: ['eq', 'ne', 'in'],
  timestamp: ['eq', 'ne', 'lt', 'le', 'gt', 'ge'],
  number: ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in'],
  boolean: ['eq', 'ne'],
}

/** Parses `field operator value` or `field in (value, value)`. */
function parseComparison(parser: Parser): Comparison {
  const column = parseColumn(parser)
  const operator = parseOperator(parser, column)
  const values = operator === 'in' ? parseValues(parser, column) : [parseValue(parser, column, operator)]
  return { column: column?.name ?? '', shape: column?.shape ?? 'text', operator, values }
}

/** Returns undefined for an unknown field, so that the remaining filter can still be parsed. */
function parseColumn({ resource, problems, take }: Parser): QueryColumn | undefined {
  const { kind, text, at } = take()
  if (kind !== 'word')
    throw new FilterError(`At character ${at}: expected a field of ${resource.pluralNoun}.`)
  const columns = queryColumns(resource)
  const column = columns.find(({ name }) => name === text)
  const names = columns.map(({ name }) => name).join(', ')
  if (!column)
    problems.push(
      `At character ${at}: ${resource.pluralNoun} cannot be filtered by ${text}. Filterable fields: ${names}.`,
    )
  return column
}

const operators: readonly string[] = [...new Set(Object.values(operatorsOf).flat())]

function parseOperator({ problems, take }: Parser, column: QueryColumn | undefined): Operator {
  const { text, at } = take()
  if (!operators.includes(text))
    throw new FilterError(`At character ${at}: expected an operator: ${operators.join(', ')}.`)
  const allowed: readonly string[] = column ? operatorsOf[column.shape] : operators
  if (!allowed.includes(text))
    problems.push(`At character ${at}: ${column?.name} does not support ${text}, only ${allowed.join(', ')}.`)
  return text as Operator
}

function parseValues(parser: Parser, column: QueryColumn | undefined): readonly Value[] {
  const { at } = parser.peek()
  if (!isPunctuation(parser.take(), '('))
    throw new FilterError(`At character ${at}: expected the values of in: (value, value).`)
  const values = [parseValue(parser, column, 'in')]
  while (isPunctuation(parser.peek(), ',')) {
    parser.take()
    values.push(parseValue(parser, column, 'in'))
  }
  const closing = parser.take()
  if (!isPunctuation(closing, ')')) throw new FilterError(`At character ${closing.at}: expected , or ).`)
  if (values.length > idsMax) parser.problems.push(`At character ${at}: in has more than ${idsMax} values.`)
  return values
}

function parseValue(parser: Parser, column: QueryColumn | undefined, operator: Operator): Value {
  const token = parser.take()
  if (!isValue(token))
    throw new FilterError(
      `At character ${token.at}: expected a value: a number, a text in single quotes, true, false, null or me.`,
    )
  if (!column) return null
  const parsed = parseLiteral(parser, column, operator, token)
  if ('value' in parsed) return parsed.value
  parser.problems.push(`At character ${token.at}: ${parsed.problems.join(' ')}`)
  return null
}

const valueWords: readonly string[] = ['true', 'false', 'null', 'me']

const isValue = ({ kind, text }: Token) =>
  kind === 'number' || kind === 'text' || (kind === 'word' && valueWords.includes(text))

function parseLiteral(
  { caller }: Parser,
  column: QueryColumn,
  operator: Operator,
  { kind, text }: Token,
): Parsed<Value> {
  const label = capitalize(column.name)
  if (kind === 'word' && text === 'null') return parseNull(column, operator, label)
  if (kind === 'word' && text === 'me') return parseMe(caller, column, label)
  if (column.shape === 'boolean' || kind === 'word') return parseBoolean(column, text, label)
  if (column.shape === 'number') {
    return kind === 'number'
      ? { value: Number(text) }
      : parseFailure(`${label} must be a number, without quotes.`)
  }
  return kind === 'text'
    ? textParsers[column.shape](text, label)
    : parseFailure(`${label} must be in single quotes.`)
}

function parseNull({ isNullable }: QueryColumn, operator: Operator, label: string): Parsed<null> {
  if (!isNullable) return parseFailure(`${label} is never null.`)
  return operator === 'eq' || operator === 'ne'
    ? { value: null }
    : parseFailure('Null can only be compared with eq and ne.')
}

function parseBoolean({ shape }: QueryColumn, text: string, label: string): Parsed<boolean> {
  if (shape !== 'boolean') return parseFailure(`${label} is neither true nor false.`)
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : parseFailure(`${label} must be true or false, without quotes.`)
}

const parseMe = (caller: Caller, { isAccount }: QueryColumn, label: string): Parsed<string> =>
  isAccount
    ? { value: caller.id }
    : parseFailure(`${label} does not refer to an account, so it cannot be compared with me.`)

/** Holds the remaining tokens, and the problems found so far. */
interface Parser {
  readonly resource: ListedResource
  readonly caller: Caller
  readonly problems: string[]
  peek(): Token
  take(): Token
}

function createParser(
  resource: ListedResource,
  caller: Caller,
  tokens: readonly Token[],
  problems: string[],
): Parser {
  let next = 0
  // The last token marks the end, and is returned again and again.
  const peek = () => tokens[Math.min(next, tokens.length - 1)] as Token
  return {
    resource,
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
const isPunctuation = ({ kind, text }: Token, mark: string): boolean =>
  kind === 'punctuation' && text === mark

interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'punctuation' | 'end'
  readonly text: string
  /** The position of its first character, starting at 1. */
  readonly at: number
}

/** The first syntax error ends the parsing. */
class FilterError extends Error {}

/**
 * A quote within a text is doubled. Numbers have up to 15 digits before the decimal point, which a double represents
 * exactly, and up to 6 after it.
 */
const pattern =
  /\s*(?:(?<word>[A-Za-z][A-Za-z0-9]*)|(?<number>-?\d{1,15}(?:\.\d{1,6})?(?![\w.]))|'(?<text>(?:[^']|'')*)'|(?<punctuation>[(),]))/y

const kinds = ['word', 'number', 'text', 'punctuation'] as const

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
    const kind = kinds.find((candidate) => groups[candidate] !== undefined)
    if (kind === undefined)
      throw new FilterError(
        `At character ${at}: expected a word, number, text in single quotes, parenthesis or comma.`,
      )
    const text = groups[kind] ?? ''
    tokens.push({ kind, at, text: kind === 'text' ? text.replaceAll("''", "'") : text })
  }
  return [...tokens, { kind: 'end', text: '', at: end + 1 }]
}

type TextParser = (text: string, label: string) => Parsed<string>

/** Parses a value by the kind of its column, and rejects every value that the database would reject. */
export const textParsers: Readonly<Record<Exclude<Shape, 'number' | 'boolean'>, TextParser>> = {
  text(text, label) {
    if (!isStorable(text)) return parseFailure(`${label} contains a character that cannot be stored.`)
    return isLongerThan(text, textCharactersMax)
      ? parseFailure(`${label} must be at most ${textCharactersMax} characters.`)
      : { value: text }
  },
  uuid: (text, label) => uuid.parse(text, label),
  timestamp: (text, label) => timestamp.parse(text, label),
}
