/**
 * Formats comma-separated values (RFC 4180). Every line ends with CRLF, quotes are doubled, texts are quoted,
 * and null is an empty cell.
 */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvValue).join(',')}\r\n`

/** The names of columns come from declarations, so they need no quotes. */
export const csvHeader = (names: readonly string[]): string => `${names.join(',')}\r\n`

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  return `"${value.replace(beforeFormula, "'").replaceAll('"', '""')}"`
}

/** The characters that begin a formula in a spreadsheet, in every width, and the minus sign. */
const formula = '[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B\\u2212]'
/** Programs may ignore these characters before a formula. */
const invisible = '\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}\\u2800"\''

/**
 * Spreadsheets run a cell that begins like a formula. An apostrophe before it makes it text. Apostrophes are
 * inserted at the beginning, and after a comma, semicolon, tab or line break, where a program with other
 * separators begins a cell. The positions do not depend on the apostrophes, so removing them restores the
 * text.
 */
const beforeFormula = new RegExp(
  `^(?=[${invisible}]*${formula})|(?<=[,;\\t\\r\\n])(?=(?:(?![\\t\\r\\n])[${invisible}])*${formula})`,
  'gu',
)
