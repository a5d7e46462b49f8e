import { t } from '../../../texts/text.ts'
import { today } from '../../../time/days.ts'
import { toCsv } from '../../../ui/csv.ts'
import { saveFile } from '../../../ui/save-file.ts'
import type { NameLookup } from '../view-props.ts'
import { columns as allColumns, type Column, type Grouping, type Line } from './list-columns.ts'

interface ShownList {
  readonly lines: readonly Line[]
  readonly columns: readonly Column[]
  readonly grouping: Grouping | undefined
  readonly names: NameLookup
}

/**
 * Saves the lines and columns that the list shows, in their order. The group comes first, unless it is a
 * column.
 */
export function exportList(list: ShownList): void {
  saveFile(`${t('Assignments')} ${today()}.csv`, new Blob([toCsv(cellsOf(list))], { type: 'text/csv' }))
}

export function cellsOf({ lines, columns, grouping, names }: ShownList): (string | number)[][] {
  const isGroupShown = grouping === undefined || columns.some(({ name }) => name === grouping.name)
  const groupColumn = allColumns.find(({ name }) => name === grouping?.name)
  const header = [...(isGroupShown ? [] : [t(grouping.label)]), ...columns.map(({ label }) => t(label))]
  let group = ''
  return [
    header,
    ...lines.flatMap((line) => {
      if (!('row' in line)) {
        group = line.title
        return []
      }
      const { row } = line
      return [
        [
          // A title such as "No label" would be imported as a label.
          ...(isGroupShown ? [] : [groupColumn?.text(row, names) ?? group]),
          ...columns.map((column) => column.value?.(row, names) ?? column.text(row, names)),
        ],
      ]
    }),
  ]
}
