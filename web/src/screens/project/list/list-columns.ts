import type { RecordOf } from '../../../api/api.ts'
import type { Text } from '../../../texts/text.ts'
import { dayOf, showDay } from '../../../time/days.ts'
import { showHours } from '../../../time/hours.ts'
import type { ViewNames } from '../view-names.ts'

type Assignment = RecordOf<'assignment'>

export type ColumnName = 'name' | 'stage' | 'type' | 'person' | 'start' | 'end' | 'hours' | 'changed'

export interface Column {
  readonly name: ColumnName
  readonly label: Text
  readonly isNumber?: boolean
  /** Without a choice it is not shown. */
  readonly isExtra?: boolean
  text(row: Assignment, names: ViewNames): string
  /** What it is sorted by, where that is not its text. */
  key?(row: Assignment, places: ReadonlyMap<string, number>): string | number
}

const changedAt = ({ createdAt, updatedAt }: Assignment): string => updatedAt ?? createdAt

/** In their order; the name is always shown. */
export const columns: readonly Column[] = [
  { name: 'name', label: 'Name', text: ({ name }) => name },
  {
    name: 'stage',
    label: 'Stage',
    text: ({ workflowId }, names) => names.stageOf(workflowId),
    key: ({ workflowId }, places) => places.get(workflowId) ?? 0,
  },
  { name: 'type', label: 'Type', text: ({ assignmentTypeId }, names) => names.typeOf(assignmentTypeId) },
  { name: 'person', label: 'Responsible', text: ({ userId }, names) => names.personOf(userId) },
  {
    name: 'start',
    label: 'Start',
    text: ({ startDate }) => showDay(startDate),
    key: ({ startDate }) => startDate,
  },
  { name: 'end', label: 'End', text: ({ endDate }) => showDay(endDate), key: ({ endDate }) => endDate },
  {
    name: 'hours',
    label: 'Planned',
    isNumber: true,
    text: ({ amountHours }) => (amountHours === 0 ? '' : showHours(amountHours)),
    key: ({ amountHours }) => amountHours,
  },
  {
    name: 'changed',
    label: 'Changed',
    isExtra: true,
    text: (row) => showDay(dayOf(changedAt(row))),
    key: changedAt,
  },
]

const usualNames = columns.filter(({ isExtra }) => !isExtra).map(({ name }) => name)

/** As the address has them, separated by commas; without any the usual ones. */
export function readColumns(query: URLSearchParams): readonly Column[] {
  const wanted = query.get('columns')?.split(',') ?? usualNames
  return columns.filter(({ name }) => name === 'name' || wanted.includes(name))
}

/** The other way round; nothing for the usual ones. */
export function columnsAfter(shown: readonly Column[], toggled: Column): string {
  const isShown = shown.includes(toggled)
  const next = columns.filter((one) => (one === toggled ? !isShown : shown.includes(one)))
  const names = next.map(({ name }) => name).join(',')
  return names === usualNames.join(',') ? '' : names
}
