import { t } from '../../texts/text.ts'
import { typeHours } from '../../time/hours.ts'
import { groupings } from './sums.ts'

interface TableWords {
  /** The label of a column. */
  headOf(column: string): string
  /** Returns whether a column has numbers, which are formatted in the user's language. */
  isNumber(column: string): boolean
  /** The decimal separator. Where it is a comma, spreadsheets expect semicolons between columns. */
  readonly decimalMark: string
}

/**
 * Converts the API's table into one that spreadsheets open in the user's language; programs use the original. Cells keep their
 * text, including apostrophes before formulas. The mark at the beginning declares UTF-8.
 */
export function tableForPeople(table: string, { headOf, isNumber, decimalMark }: TableWords): string {
  const [head = [], ...lines] = linesOf(table)
  const numbers = head.map(isNumber)
  const separator = decimalMark === ',' ? ';' : ','
  // Texts are quoted already, so any separator is safe.
  const written = (cell: string, column: number) => (numbers[column] ? cell.replace('.', decimalMark) : cell)
  const heads = head.map((name) => `"${headOf(name).replaceAll('"', '""')}"`)
  return `\uFEFF${[heads, ...lines.map((cells) => cells.map(written))]
    .map((cells) => `${cells.join(separator)}\r\n`)
    .join('')}`
}

/** Splits it as RFC 4180 defines, leaving each cell with its quotes. */
function linesOf(table: string): readonly (readonly string[])[] {
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

/** The label of a column of the API's table; an unknown one keeps its name. */
export function headOfColumn(column: string): string {
  if (column === 'hours') return t('Hours')
  if (column === 'appointments') return t('Entries')
  const isOf = groupings.find(({ name }) => name === column)
  if (isOf) return t(isOf.label)
  const isIdOf = groupings.find(({ name }) => `${name}Id` === column)
  return isIdOf ? t('{field} (id)', { field: t(isIdOf.label) }) : column
}

export const wordsOfHours = (): TableWords => ({
  headOf: headOfColumn,
  isNumber: (column) => column === 'hours',
  decimalMark: typeHours(0.5).charAt(1),
})

/** Saves a table that was read with the token, which a plain link would not send, like any download. */
export function saveCsv(fileName: string, table: string): void {
  const address = URL.createObjectURL(new Blob([table], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
