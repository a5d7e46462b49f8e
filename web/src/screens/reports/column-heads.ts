import { t } from '../../texts/text.ts'
import { typeHours } from '../../time/hours.ts'
import { groupings } from './sums.ts'
import type { TableWords } from './table-for-people.ts'

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
