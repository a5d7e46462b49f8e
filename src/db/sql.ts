/** A piece of SQL whose values are sent as parameters, never inside its text. */
export interface Sql {
  readonly strings: readonly string[]
  /** What stands between the strings: pieces of SQL, anything else is a value. */
  readonly parts: readonly unknown[]
  /** Made for one request: it is sent unnamed, because only a limited number of named plans is kept. */
  readonly isRare?: true
  /** The name of the statement and the pieces it is made of, from which a store can execute it in a way of its own. */
  readonly named?: { readonly name: string; readonly pieces: unknown }
  readonly [writtenHere]: true
}

/** Marks what this file made: no request can forge a symbol, so no value is ever mistaken for SQL. */
const writtenHere: unique symbol = Symbol('sql')

/** A tagged template: a nested piece of SQL is spliced in, anything else becomes a parameter. */
export const sql = (strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql => ({
  strings,
  parts,
  [writtenHere]: true,
})

export interface NamedStatement<Pieces> {
  readonly name: string
  /** The statement, which keeps the pieces it is made of. */
  of(pieces: Pieces, statement: Sql): Sql
}

export const namedStatement = <Pieces>(name: string): NamedStatement<Pieces> => ({
  name,
  of: (pieces, statement) => ({ ...statement, named: { name, pieces } }),
})

export const rare = (statement: Sql): Sql => ({ ...statement, isRare: true })

/** SQL written by us, such as a table's name. Never pass anything that came from a request. */
export const raw = (text: string): Sql => ({ strings: [text], parts: [], [writtenHere]: true })

export const join = (pieces: readonly Sql[], separator: string): Sql => ({
  strings: ['', ...Array<string>(Math.max(pieces.length - 1, 0)).fill(separator), ''],
  parts: pieces,
  [writtenHere]: true,
})

/** All conditions at once; none means no restriction. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw('true') : join(conditions, ' and ')

export interface RenderedSql {
  /** With numbered placeholders, as the driver wants it. */
  readonly text: string
  readonly values: unknown[]
}

/** Renders the whole statement in one pass, without first copying nested pieces into each other. */
export function render(statement: Sql): RenderedSql {
  const values: unknown[] = []
  return { text: textOf(statement, values), values }
}

function textOf({ strings, parts }: Sql, values: unknown[]): string {
  let text = strings[0] ?? ''
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]
    text += (isSql(part) ? textOf(part, values) : `$${values.push(part)}`) + (strings[index + 1] ?? '')
  }
  return text
}

const isSql = (part: unknown): part is Sql => typeof part === 'object' && part !== null && writtenHere in part

export interface Queries {
  query<Row>(statement: Sql): Promise<Row[]>
}

/** For a pattern of `like` and `ilike` that contains a text as it was given. */
export const matchedLiterally = (text: string): string =>
  text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`)

/** What ends nowhere but at its own end: comments, texts, names, bodies of functions. Nothing else may hold a semicolon. */
const piece = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$[a-z_]*\$)[\s\S]*?\1|;|[^;'"$-]+|[-$]/gi

/** The statements of a migration, one by one. */
export function statementsOf(text: string): readonly string[] {
  const statements = ['']
  for (const [found] of text.matchAll(piece)) {
    if (found === ';') statements.push('')
    else if (!found.startsWith('--')) statements[statements.length - 1] += found
  }
  return statements.map((statement) => statement.trim()).filter(Boolean)
}
