type Value = string | number | null | Date

/**
 * Builds a filter for a query, with its values quoted: filter`name eq ${name} and projectId in ${ids}`. A
 * value cannot change the filter.
 */
export const filter = (
  texts: TemplateStringsArray,
  ...values: readonly (Value | readonly Value[])[]
): string =>
  texts
    .map((text, index) => text + (index < values.length ? formatValue(values[index] ?? null) : ''))
    .join('')

function formatValue(value: Value | readonly Value[]): string {
  if (!Array.isArray(value)) return formatLiteral(value as Value)
  // The grammar has no empty list, and a request that would find nothing is better not sent.
  if (value.length === 0) throw new TypeError('A filter cannot contain an empty list.')
  return `(${value.map(formatLiteral).join(', ')})`
}

function formatLiteral(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return formatNumber(value)
  const text = value instanceof Date ? value.toISOString() : value
  return `'${text.replaceAll("'", "''")}'`
}

/** Rejects numbers with exponents, which the grammar does not have. */
function formatNumber(value: number): string {
  const text = String(value)
  if (/^-?\d+(\.\d+)?$/.test(text)) return text
  throw new TypeError(`A filter cannot contain the number ${value}.`)
}
