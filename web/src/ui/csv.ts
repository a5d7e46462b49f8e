import { formatHoursInput } from '../time/hours.ts'

/** The characters that begin a formula in a spreadsheet, in every width, and the minus sign. The server has the same. */
const formula = '[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B\\u2212]'
const invisible = '\\p{Z}\\p{Cc}\\p{Cf}\\p{DI}\\u2800"\''
const beforeFormula = new RegExp(
  `^(?=[${invisible}]*${formula})|(?<=[,;\\t\\r\\n])(?=(?:(?![\\t\\r\\n])[${invisible}])*${formula})`,
  'gu',
)

/**
 * Returns a table that spreadsheets open correctly in the user's language: where the decimal separator is a comma, they expect
 * semicolons between columns. The byte order mark declares UTF-8. An apostrophe keeps a text from being run as a formula.
 */
export function toCsv(lines: readonly (readonly (string | number)[])[]): string {
  const decimalSeparator = formatHoursInput(0.5).charAt(1)
  const separator = decimalSeparator === ',' ? ';' : ','
  const formatCell = (value: string | number) =>
    typeof value === 'number' ? String(value).replace('.', decimalSeparator) : quoteText(value)
  return `\uFEFF${lines.map((cells) => `${cells.map(formatCell).join(separator)}\r\n`).join('')}`
}

export const quoteText = (text: string): string =>
  `"${text.replace(beforeFormula, "'").replaceAll('"', '""')}"`
