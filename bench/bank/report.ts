type Cell = string | number

/** A table that can be pasted into docs/benchmarks.md as it is. */
export function printTable(title: string, rows: readonly Readonly<Record<string, Cell>>[]): void {
  const columns = Object.keys(rows[0] ?? {})
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const lines = [
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => show(row[column] ?? '')))),
  ]
  console.log(`${title}\n\n${lines.join('\n')}\n`)
}

const show = (cell: Cell) =>
  typeof cell === 'string' ? cell : Number.isInteger(cell) ? String(cell) : cell.toFixed(cell < 10 ? 2 : 1)

export function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 50)
