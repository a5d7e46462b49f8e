/** Comma-separated values as RFC 4180 has them: every line ends with CRLF, quotes are doubled. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvValue).join(',')}\r\n`

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? withoutFormula(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A spreadsheet would run what begins like this; behind an apostrophe it is text. Numbers are written by us. */
const withoutFormula = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
