import type { Send } from '../../api/send.ts'
import { t } from '../../texts/text.ts'
import { typeHours } from '../../time/hours.ts'
import { groupings } from './sums.ts'

interface TableWords {
  /** What the page calls a column. */
  headOf(column: string): string
  /** Whether a column has numbers, which are written as the language does. */
  isNumber(column: string): boolean
  /** Between whole hours and parts of them. Where it is a comma, spreadsheets expect semicolons between columns. */
  readonly decimalMark: string
}

/**
 * The interface's table as spreadsheets of the reader open it by themselves; programs rely on the one that the interface gives. What
 * the interface wrote into a cell stays as it is, apostrophes before formulas too. The mark at the beginning says UTF-8.
 */
export function tableForPeople(table: string, { headOf, isNumber, decimalMark }: TableWords): string {
  const [head = [], ...lines] = linesOf(table)
  const numbers = head.map(isNumber)
  const separator = decimalMark === ',' ? ';' : ','
  // Texts stand in quotes already, whatever separates them.
  const written = (cell: string, column: number) => (numbers[column] ? cell.replace('.', decimalMark) : cell)
  const heads = head.map((name) => `"${headOf(name).replaceAll('"', '""')}"`)
  return `\uFEFF${[heads, ...lines.map((cells) => cells.map(written))]
    .map((cells) => `${cells.join(separator)}\r\n`)
    .join('')}`
}

/** As RFC 4180 has them, each cell as it stands there, with its quotes. */
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

/** What the page calls a column of the interface's table; one that it does not know keeps its name. */
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

export interface Download {
  readonly path: string
  readonly fileName: string
  /** What is made of the interface's table. */
  written(table: string): string
}

/** Fetched with the token, which a plain link would not carry, and then saved like any download. */
export async function downloadCsv(send: Send, { path, fileName, written }: Download): Promise<void> {
  const response = await send({ path, headers: { accept: 'text/csv' } })
  const table = new Blob([written(await response.text())], { type: 'text/csv' })
  const address = URL.createObjectURL(table)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
