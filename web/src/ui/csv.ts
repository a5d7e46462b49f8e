import { formatHoursInput } from '../time/hours.ts'

/** Spreadsheets run texts that begin with = + - or @ of any width, or with U+2212, as formulas. */
const formula = '[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B\\u2212]'
/** Some spreadsheets skip spaces, invisible characters and quotes in front of a formula. */
const skipped = '\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}\\u2800"\''
/**
 * Matches the position before a formula at the start of the text, or after a separator or line break, where a
 * spreadsheet with other separators would begin a cell. `src/http/csv.ts` has the same pattern.
 */
const beforeFormula = new RegExp(
  `^(?=[${skipped}]*${formula})|(?<=[,;\\t\\r\\n])(?=(?:(?![\\t\\r\\n])[${skipped}])*${formula})`,
  'gu',
)

/** Returns the decimal separator of the user's language. */
export const localDecimalSeparator = (): string => formatHoursInput(0.5).charAt(1)

/**
 * Joins formatted cells to a table for spreadsheets. Where the decimal separator is a comma, they expect
 * semicolons between columns. The byte order mark declares UTF-8.
 */
export function joinCells(lines: readonly (readonly string[])[], decimalSeparator: string): string {
  const separator = decimalSeparator === ',' ? ';' : ','
  return `\uFEFF${lines.map((cells) => `${cells.join(separator)}\r\n`).join('')}`
}

/** Returns a table in the user's language. */
export function toCsv(lines: readonly (readonly (string | number)[])[]): string {
  const decimalSeparator = localDecimalSeparator()
  const formatCell = (value: string | number) =>
    typeof value === 'number' ? String(value).replace('.', decimalSeparator) : quoteText(value)
  return joinCells(
    lines.map((cells) => cells.map(formatCell)),
    decimalSeparator,
  )
}

/** Quotes a text for a table. Apostrophes keep spreadsheets from running it as a formula. */
export const quoteText = (text: string): string =>
  `"${text.replace(beforeFormula, "'").replaceAll('"', '""')}"`
