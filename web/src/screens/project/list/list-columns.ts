import type { RecordOf } from '../../../api/api.ts'
import { priorityName } from '../../../assignment/priority.ts'
import { changedAt, endDayOf, startDayOf } from '../../../data/assignments.ts'
import { locale, type MessageKey, t } from '../../../texts/text.ts'
import { dayOf, formatDay } from '../../../time/days.ts'
import { formatHours } from '../../../time/hours.ts'
import type { NameLookup } from '../name-lookup.ts'

type Assignment = RecordOf<'assignment'>

export type ColumnName =
  | ('key' | 'name' | 'blocked' | 'stage' | 'priority' | 'person' | 'labels' | 'type')
  | ('start' | 'end' | 'hours' | 'changed')

export interface Column {
  readonly name: ColumnName
  readonly label: MessageKey
  /** The heading in an exported table, which has the value without what the list adds. */
  readonly exported?: MessageKey
  readonly isNumber?: boolean
  readonly isHiddenByDefault?: boolean
  /** True if the column requires the extensions. */
  readonly isExtension?: boolean
  /** True if values are edited in the cells. The column and the field then have the same name. */
  readonly isEditable?: true
  text(row: Assignment, names: NameLookup): string
  /** Returns the value in an exported table. If missing, the text is exported. */
  value?(row: Assignment, names: NameLookup): string | number
  /** If missing, rows are sorted by the text. */
  sortKey?(row: Assignment, stagePositions: ReadonlyMap<string, number>): string | number
}

export function labelNames({ id }: Assignment, names: NameLookup): string {
  return names
    .labelsOf(id)
    .map(({ name }) => name)
    .join(', ')
}

const formatDayOf = (day: string): string => (day === '' ? '' : formatDay(day))

/** The sort key of assignments without dates. They come last in the ascending order. */
const afterAllDays = '~'

/** All columns in their order. The name is always shown. */
export const columns: readonly Column[] = [
  {
    name: 'key',
    label: 'Key',
    isExtension: true,
    text: (row, names) => names.keyOf(row),
    sortKey: ({ number }) => number ?? 0,
  },
  { name: 'name', label: 'Name', text: ({ name }) => name },
  {
    name: 'blocked',
    label: 'Blocked',
    text: (row, names) => names.blockReasonOf(row)?.text ?? '',
    value: (row, names) => (names.blockReasonOf(row) ? t('Yes') : ''),
  },
  {
    name: 'stage',
    label: 'Stage',
    isEditable: true,
    text: ({ workflowId }, names) => names.stageOf(workflowId),
    sortKey: ({ workflowId }, stagePositions) => stagePositions.get(workflowId) ?? 0,
  },
  {
    name: 'priority',
    label: 'Priority',
    isEditable: true,
    isExtension: true,
    text: ({ priority }) => priorityName(priority),
    // The ascending order begins with the most urgent priority.
    sortKey: ({ priority }) => -(priority ?? 0),
  },
  {
    name: 'person',
    label: 'Responsible',
    isEditable: true,
    text: (row, names) => (row.isUnassigned ? '' : names.personOf(row.userId)),
  },
  {
    name: 'labels',
    label: 'Labels',
    isEditable: true,
    isExtension: true,
    text: labelNames,
  },
  {
    name: 'type',
    label: 'Type',
    isEditable: true,
    text: ({ assignmentTypeId }, names) => names.typeOf(assignmentTypeId),
  },
  {
    name: 'start',
    label: 'Start',
    isEditable: true,
    isHiddenByDefault: true,
    text: (row) => formatDayOf(startDayOf(row)),
    value: startDayOf,
    sortKey: (row) => (row.isUnscheduled ? afterAllDays : row.startDate),
  },
  {
    name: 'end',
    label: 'End',
    isEditable: true,
    text: (row) => formatDayOf(endDayOf(row)),
    value: endDayOf,
    sortKey: (row) => (row.isUnscheduled ? afterAllDays : row.endDate),
  },
  {
    name: 'hours',
    label: 'Hours',
    exported: 'Planned',
    isEditable: true,
    isNumber: true,
    text: ({ amountHours }) => (amountHours === 0 ? '' : formatHours(amountHours)),
    value: ({ amountHours }) => amountHours,
    sortKey: ({ amountHours }) => amountHours,
  },
  {
    name: 'changed',
    label: 'Changed',
    isHiddenByDefault: true,
    text: (row) => formatDay(dayOf(row.updatedAt ?? row.createdAt)),
    value: ({ updatedAt, createdAt }) => dayOf(updatedAt ?? createdAt),
    sortKey: changedAt,
  },
]

const defaultNames = columns.filter(({ isHiddenByDefault }) => !isHiddenByDefault).map(({ name }) => name)

/** Returns the columns that can be shown. */
export const availableColumns = ({ extensions }: { readonly extensions: boolean }): readonly Column[] =>
  columns.filter(({ isExtension }) => extensions || !isExtension)

/** Parses the comma-separated names in the address. By default, returns the columns that are not hidden. */
export function parseColumns(
  query: URLSearchParams,
  configuration: { readonly extensions: boolean },
): readonly Column[] {
  const names = query.get('columns')?.split(',') ?? defaultNames
  return availableColumns(configuration).filter(({ name }) => name === 'name' || names.includes(name))
}

/** Shows or hides a column. Returns the value for the address. It is empty for the default columns. */
export function toggleColumn(
  shown: readonly Column[],
  toggled: Column,
  configuration: { readonly extensions: boolean },
): string {
  const isShown = shown.includes(toggled)
  const namesOf = (list: readonly Column[]) => list.map(({ name }) => name).join(',')
  const next = namesOf(columns.filter((column) => (column === toggled ? !isShown : shown.includes(column))))
  return next === namesOf(parseColumns(new URLSearchParams(), configuration)) ? '' : next
}

export interface SortOrder {
  readonly column: Column
  readonly isDescending: boolean
}

/** Parses the name of a column from the address. A minus before it means descending. */
export function parseOrder(query: URLSearchParams): SortOrder {
  const text = query.get('sort') ?? 'end'
  const name = text.replace(/^-/, '')
  const findColumn = (wanted: string) => columns.find((column) => column.name === wanted)
  const column = findColumn(name) ?? (findColumn('end') as Column)
  return { column, isDescending: text.startsWith('-') }
}

/**
 * Sorts by the clicked column, or reverses its order. Returns the value for the address. Empty for the
 * default.
 */
export function toggleSort({ column, isDescending }: SortOrder, clicked: ColumnName): string {
  const next = column.name === clicked && !isDescending ? `-${clicked}` : clicked
  return next === 'end' ? '' : next
}

export interface ListContext {
  readonly names: NameLookup
  readonly stagePositions: ReadonlyMap<string, number>
  readonly doneStageIds: { has(stageId: string): boolean }
}

/** Sorts equal rows by name and then by id. In the default order by end date, finished work comes last. */
export function sortRows(
  rows: readonly Assignment[],
  { column, isDescending }: SortOrder,
  { names, stagePositions, doneStageIds }: ListContext,
) {
  const compareTexts = new Intl.Collator(locale(), { numeric: true }).compare
  const keyed = rows.map((row) => ({
    row,
    key: column.sortKey?.(row, stagePositions) ?? column.text(row, names),
    isLast: column.name === 'end' && !isDescending && doneStageIds.has(row.workflowId),
  }))
  const compareKeys = (a: string | number, b: string | number): number => {
    if (column.sortKey === undefined) return compareTexts(String(a), String(b))
    return a < b ? -1 : Number(a > b)
  }
  const sign = isDescending ? -1 : 1
  keyed.sort(
    (a, b) =>
      Number(a.isLast) - Number(b.isLast) ||
      sign * compareKeys(a.key, b.key) ||
      compareTexts(a.row.name, b.row.name) ||
      (a.row.id < b.row.id ? -1 : 1),
  )
  return keyed.map(({ row }) => row)
}
