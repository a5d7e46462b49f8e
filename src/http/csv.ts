/**
 * Comma-separated values as RFC 4180 has them: every line ends with CRLF, quotes are doubled. Texts stand in quotes; numbers,
 * true and false, which are written by us, do not. Null is nothing at all.
 */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvValue).join(',')}\r\n`

/** Names of ours, which need no quotes. */
export const csvHead = (names: readonly string[]): string => `${names.join(',')}\r\n`

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  return `"${value.replace(beforeFormula, "'").replaceAll('"', '""')}"`
}

/** In any width; a minus sign, too. */
const formula = '[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B\\u2212]'
/** What one does not see, which programs may drop, and marks that may go with the cell. */
const unseen = '\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}\\u2800"\''

/**
 * A spreadsheet runs a cell that begins like a formula. An apostrophe makes it text: at the beginning, and after a comma,
 * semicolon, tab or line break, where cells begin for a program that separates by those and does not know our quotes. The
 * places are the same with the apostrophes, so whoever takes one away at each of them has the text again.
 */
const beforeFormula = new RegExp(
  `^(?=[${unseen}]*${formula})|(?<=[,;\\t\\r\\n])(?=(?:(?![\\t\\r\\n])[${unseen}])*${formula})`,
  'gu',
)
