/** SQL whose values are sent as parameters. */
export interface Sql {
  readonly strings: readonly string[]
  /** The values between the strings. Nested SQL becomes a part of the text. */
  readonly values: readonly unknown[]
  /** True if the statement is not prepared, because connections keep a limited number of plans. */
  readonly isUnprepared?: true
  /** The function of `db/stores.ts` that a sharded store runs instead, and its input. */
  readonly stepwise?: { readonly name: string; readonly input: unknown }
  readonly [sqlBrand]: true
}

/** A request cannot contain a symbol, so no value from a request can be mistaken for SQL. */
const sqlBrand: unique symbol = Symbol('sql')

/** A tagged template for SQL. Nested SQL becomes a part of the text, and other values become parameters. */
export const sql = (strings: TemplateStringsArray, ...values: readonly unknown[]): Sql => ({
  strings,
  values,
  [sqlBrand]: true,
})

/**
 * A kind of statement that a sharded store cannot execute at once. It runs several statements instead, which
 * it builds from the input.
 */
export interface StepwiseStatement<Input> {
  readonly name: string
  /** Marks the statement, so that a sharded store builds steps from the input. */
  attach(input: Input, statement: Sql): Sql
}

export const stepwiseStatement = <Input>(name: string): StepwiseStatement<Input> => ({
  name,
  attach: (input, statement) => ({ ...statement, stepwise: { name, input } }),
})

export const unprepared = (statement: Sql): Sql => ({ ...statement, isUnprepared: true })

/** Turns trusted text into SQL, for example the name of a table. Never pass text from a request. */
export const raw = (text: string): Sql => ({ strings: [text], values: [], [sqlBrand]: true })

/**
 * Joins values with a separator. Nested SQL becomes a part of the text, and other values become parameters.
 */
export const join = (values: readonly unknown[], separator: string): Sql => ({
  strings: ['', ...Array<string>(Math.max(values.length - 1, 0)).fill(separator), ''],
  values,
  [sqlBrand]: true,
})

/** Combines conditions with `and`. Without conditions, the result is true. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw('true') : join(conditions, ' and ')

export interface RenderedSql {
  /** The text with numbered placeholders. */
  readonly text: string
  readonly values: unknown[]
}

/** Renders the whole statement without copying nested parts first. */
export function render(statement: Sql): RenderedSql {
  const parameters: unknown[] = []
  return { text: textOf(statement, parameters), values: parameters }
}

function textOf({ strings, values }: Sql, parameters: unknown[]): string {
  let text = strings[0] ?? ''
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index]
    const isSql = typeof value === 'object' && value !== null && sqlBrand in value
    text += isSql ? textOf(value as Sql, parameters) : `$${parameters.push(value)}`
    text += strings[index + 1] ?? ''
  }
  return text
}

export interface Queries {
  query<Row>(statement: Sql): Promise<Row[]>
}

/** Escapes a text, so that a `like` or `ilike` pattern matches it literally. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`)

/**
 * The tokens of a migration, in the order in which they are tried. A semicolon ends a statement unless it is
 * inside another token.
 */
const tokens = {
  lineComment: /--[^\n]*/,
  blockComment: /\/\*[\s\S]*?\*\//,
  escapedLiteral: /(?<!\w)e'(?:[^'\\]|\\.|'')*'/,
  literal: /'(?:[^']|'')*'/,
  quotedName: /"[^"]*"/,
  functionBody: /(?<tag>\$(?:[a-z_]\w*)?\$)[\s\S]*?\k<tag>/,
  semicolon: /;/,
  // An `e` may begin an escaped literal.
  otherText: /[^;'"$/e-]+|[-/$e]/,
}

const sources = Object.values(tokens).map(({ source }) => source)
const token = new RegExp(sources.join('|'), 'gis')

/** Splits a migration into its statements, without comments. Throws if a quote is not closed. */
export function splitStatements(text: string): readonly string[] {
  const statements = ['']
  let end = 0
  for (const { 0: found, index } of text.matchAll(token)) {
    if (index !== end) break
    end += found.length
    if (found === ';') statements.push('')
    else statements[statements.length - 1] += /^(--|\/\*)/.test(found) ? ' ' : found
  }
  if (end < text.length) throw new Error(`A quote is not closed: ${text.slice(end, end + 80)}`)
  return statements.map((statement) => statement.trim()).filter(Boolean)
}
