import { formatHoursInput } from '../time/hours.ts'

/** The characters that begin a formula in a spreadsheet, in every width, and the minus sign. The server has the same. */
const formula = '[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B\\u2212]'
const invisible = '\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}\\u2800"\''
const beforeFormula = new RegExp(
  `^(?=[${invisible}]*${formula})|(?<=[,;\\t\\r\\n])(?=(?:(?![\\t\\r\\n])[${invisible}])*${formula})`,
  'gu',
)

/** That of the user's language. */
export const decimalSeparatorOf = (): string => formatHoursInput(0.5).charAt(1)

/**
 * Joins formatted cells into a table that spreadsheets open correctly: where the decimal separator is a comma, they expect
 * semicolons between columns. The byte order mark declares UTF-8.
 */
export function joinCells(lines: readonly (readonly string[])[], decimalSeparator: string): string {
  const separator = decimalSeparator === ',' ? ';' : ','
  return `\uFEFF${lines.map((cells) => `${cells.join(separator)}\r\n`).join('')}`
}

/** Returns a table in the user's language. An apostrophe keeps a text from being run as a formula. */
export function toCsv(lines: readonly (readonly (string | number)[])[]): string {
  const decimalSeparator = decimalSeparatorOf()
  const formatCell = (value: string | number) =>
    typeof value === 'number' ? String(value).replace('.', decimalSeparator) : quoteText(value)
  return joinCells(
    lines.map((cells) => cells.map(formatCell)),
    decimalSeparator,
  )
}

export const quoteText = (text: string): string =>
  `"${text.replace(beforeFormula, "'").replaceAll('"', '""')}"`
