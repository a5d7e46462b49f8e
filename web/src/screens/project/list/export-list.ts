import { t } from '../../../texts/text.ts'
import { today } from '../../../time/days.ts'
import { toCsv } from '../../../ui/csv.ts'
import { saveFile } from '../../../ui/save-file.ts'
import type { NameLookup } from '../name-lookup.ts'
import { columns as allColumns, type Column, type Grouping, type Line } from './list-columns.ts'

interface ShownList {
  readonly lines: readonly Line[]
  readonly columns: readonly Column[]
  readonly grouping: Grouping | undefined
  readonly names: NameLookup
}

/**
 * Saves the lines and columns that the list shows, in their order. The group becomes the first column, unless
 * the list already has a column for it.
 */
export function exportList(list: ShownList): void {
  saveFile(`${t('Assignments')} ${today()}.csv`, new Blob([toCsv(cellsOf(list))], { type: 'text/csv' }))
}

type Cells = readonly (string | number)[]

export function cellsOf({ lines, columns, grouping, names }: ShownList): readonly Cells[] {
  const added = columns.some(({ name }) => name === grouping?.name) ? undefined : grouping
  const groupColumn = allColumns.find(({ name }) => name === added?.name)
  const header = columns.map(({ label }) => t(label))
  const cells: Cells[] = [added ? [t(added.label), ...header] : header]
  let groupTitle = ''
  for (const line of lines) {
    if ('row' in line) {
      const { row } = line
      const values = columns.map((column) => column.value?.(row, names) ?? column.text(row, names))
      // The text of the column, because the title "No label" would become a label in an import of the file.
      cells.push(added ? [groupColumn?.text(row, names) ?? groupTitle, ...values] : values)
    } else groupTitle = line.title
  }
  return cells
}
