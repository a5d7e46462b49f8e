type Value = string | number | null | Date

/**
 * A filter of a query, with its values quoted: filter`name eq ${name} and projectId in ${ids}`. The text
 * between the values is the program's own; nothing in a value can become a part of it.
 */
export const filter = (
  texts: TemplateStringsArray,
  ...values: readonly (Value | readonly Value[])[]
): string =>
  texts.map((text, index) => text + (index < values.length ? written(values[index] ?? null) : '')).join('')

const written = (value: Value | readonly Value[]): string =>
  Array.isArray(value) ? `(${value.map(literal).join(', ')})` : literal(value as Value)

function literal(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return numeral(value)
  const text = value instanceof Date ? value.toISOString() : value
  return `'${text.replaceAll("'", "''")}'`
}

/** The grammar has no exponents. */
function numeral(value: number): string {
  const text = String(value)
  if (/^-?\d+(\.\d+)?$/.test(text)) return text
  throw new TypeError(`${value} is no number that a filter can have.`)
}
