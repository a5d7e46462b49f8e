/** A piece of SQL whose values travel beside it as parameters, never inside its text. */
export interface Sql {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]
  readonly [writtenHere]: true
}

/** Marks what this file made: no request can forge a symbol, so no value is ever mistaken for SQL. */
const writtenHere: unique symbol = Symbol('sql')

/** A tagged template: a nested piece of SQL is spliced in, anything else becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
  const texts = [strings[0] ?? '']
  const values: unknown[] = []
  parts.forEach((part, index) => {
    const following = strings[index + 1] ?? ''
    if (isSql(part)) {
      texts[texts.length - 1] += part.texts[0] ?? ''
      texts.push(...part.texts.slice(1))
      values.push(...part.values)
      texts[texts.length - 1] += following
    } else {
      values.push(part)
      texts.push(following)
    }
  })
  return { texts, values, [writtenHere]: true }
}

/** SQL written by us, such as a table's name. Never pass anything that came from a request. */
export const raw = (text: string): Sql => ({ texts: [text], values: [], [writtenHere]: true })

export function join(pieces: readonly Sql[], separator: string): Sql {
  return pieces.reduce(
    (joined, piece, index) => (index === 0 ? piece : sql`${joined}${raw(separator)}${piece}`),
    raw(''),
  )
}

/** All conditions at once; none means no restriction. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw('true') : join(conditions, ' and ')

/** The text with numbered placeholders, as the driver wants it. */
export const textOf = ({ texts }: Sql): string =>
  texts.reduce((text, piece, index) => (index === 0 ? piece : `${text}$${index}${piece}`), '')

const isSql = (part: unknown): part is Sql => typeof part === 'object' && part !== null && writtenHere in part
