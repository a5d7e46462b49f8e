/** A piece of SQL whose values are sent as parameters, never inside its text. */
export interface Sql {
  readonly strings: readonly string[]
  /** Fill the gaps between the strings: pieces of SQL are spliced in, anything else is a value. */
  readonly parts: readonly unknown[]
  /** Marks SQL made for one request: it is sent unnamed, because only a limited number of plans is kept. */
  readonly isRare?: true
  /** The name and the pieces of the statement, from which a store can execute it in its own way. */
  readonly named?: { readonly name: string; readonly pieces: unknown }
  readonly [writtenHere]: true
}

/** Marks SQL made in this file: no request can forge a symbol, so no value is ever mistaken for SQL. */
const writtenHere: unique symbol = Symbol('sql')

/** A tagged template: a nested piece of SQL is spliced in, anything else becomes a parameter. */
export const sql = (strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql => ({
  strings,
  parts,
  [writtenHere]: true,
})

export interface NamedStatement<Pieces> {
  readonly name: string
  /** Returns the statement with the pieces it is made of. */
  of(pieces: Pieces, statement: Sql): Sql
}

export const namedStatement = <Pieces>(name: string): NamedStatement<Pieces> => ({
  name,
  of: (pieces, statement) => ({ ...statement, named: { name, pieces } }),
})

export const rare = (statement: Sql): Sql => ({ ...statement, isRare: true })

/** SQL written by us, such as a table's name. Never pass anything that came from a request. */
export const raw = (text: string): Sql => ({ strings: [text], parts: [], [writtenHere]: true })

/** Joins pieces of SQL, or values, which become parameters. */
export const join = (pieces: readonly unknown[], separator: string): Sql => ({
  strings: ['', ...Array<string>(Math.max(pieces.length - 1, 0)).fill(separator), ''],
  parts: pieces,
  [writtenHere]: true,
})

/** Combines conditions with `and`; none means no restriction. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw('true') : join(conditions, ' and ')

export interface RenderedSql {
  /** Has numbered placeholders, as the driver requires. */
  readonly text: string
  readonly values: unknown[]
}

/** Renders the whole statement in one pass, without copying nested pieces first. */
export function render(statement: Sql): RenderedSql {
  const values: unknown[] = []
  return { text: textOf(statement, values), values }
}

function textOf({ strings, parts }: Sql, values: unknown[]): string {
  let text = strings[0] ?? ''
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]
    const isSql = typeof part === 'object' && part !== null && writtenHere in part
    text += (isSql ? textOf(part as Sql, values) : `$${values.push(part)}`) + (strings[index + 1] ?? '')
  }
  return text
}

export interface Queries {
  query<Row>(statement: Sql): Promise<Row[]>
}

/** Escapes a text, so that a `like` or `ilike` pattern matches it literally. */
export const matchedLiterally = (text: string): string =>
  text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`)

/**
 * Comments, literals, quoted names and function bodies end only at their own delimiter. Nothing else may
 * contain a semicolon.
 */
const piece = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$[a-z_]*\$)[\s\S]*?\1|;|[^;'"$-]+|[-$]/gi

/** Splits a migration into its statements. */
export function statementsOf(text: string): readonly string[] {
  const statements = ['']
  for (const [found] of text.matchAll(piece)) {
    if (found === ';') statements.push('')
    else if (!found.startsWith('--')) statements[statements.length - 1] += found
  }
  return statements.map((statement) => statement.trim()).filter(Boolean)
}
