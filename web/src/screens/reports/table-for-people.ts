export interface TableWords {
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
