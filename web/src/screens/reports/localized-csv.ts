import { t } from '../../texts/text.ts'
import { joinCells, localDecimalSeparator } from '../../ui/csv.ts'
import { groupings } from './sums.ts'

interface CsvFormat {
  /** Returns the label of a column. */
  labelOf(column: string): string
  /** Returns whether a column has numbers, which are formatted in the user's language. */
  isNumber(column: string): boolean
  readonly decimalSeparator: string
}

/**
 * Converts the API's CSV into one that spreadsheets open correctly in the user's language. Texts stay as they
 * are, including the apostrophes before formulas.
 */
export function localizeCsv(table: string, { labelOf, isNumber, decimalSeparator }: CsvFormat): string {
  const [header = [], ...lines] = parseLines(table)
  const numbers = header.map(isNumber)
  // Texts are quoted, so any separator is safe.
  const formatCell = (cell: string, column: number) =>
    numbers[column] ? cell.replace('.', decimalSeparator) : cell
  const labels = header.map((name) => `"${labelOf(name).replaceAll('"', '""')}"`)
  return joinCells([labels, ...lines.map((cells) => cells.map(formatCell))], decimalSeparator)
}

/** Splits CSV as defined by RFC 4180. Cells keep their quotes. */
function parseLines(table: string): readonly (readonly string[])[] {
  const lines: string[][] = []
  let cells: string[] = []
  for (const [, cell = '', end] of table.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/g)) {
    cells.push(cell)
    if (end === ',') continue
    lines.push(cells)
    cells = []
  }
  return lines
}

/** Returns the label of a column of the API. An unknown column keeps its name. */
export function columnLabel(column: string): string {
  if (column === 'hours') return t('Hours')
  if (column === 'appointments') return t('Entries')
  const grouping = groupings.find(({ name }) => name === column)
  if (grouping) return t(grouping.label)
  const idGrouping = groupings.find(({ name }) => `${name}Id` === column)
  return idGrouping ? t('{field} (id)', { field: t(idGrouping.label) }) : column
}

export const hoursCsvFormat = (): CsvFormat => ({
  labelOf: columnLabel,
  isNumber: (column) => column === 'hours',
  decimalSeparator: localDecimalSeparator(),
})
