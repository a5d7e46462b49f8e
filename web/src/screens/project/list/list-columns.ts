import type { RecordOf } from '../../../api/api.ts'
import { priorityName, priorityNames } from '../../../assignment/priority.ts'
import { changedAt } from '../../../data/changed-at.ts'
import { endDayOf, responsibleOf, startDayOf } from '../../../data/planned.ts'
import { locale, type MessageKey, t } from '../../../texts/text.ts'
import { addDays, dayOf, formatDay, formatWeek, fridayOffset, mondayOf } from '../../../time/days.ts'
import { formatHours } from '../../../time/hours.ts'
import type { NameLookup } from '../name-lookup.ts'

type Assignment = RecordOf<'assignment'>

type ColumnName =
  | ('key' | 'name' | 'blocked' | 'stage' | 'priority' | 'labels' | 'type' | 'person')
  | ('start' | 'end' | 'hours' | 'changed')

export interface Column {
  readonly name: ColumnName
  readonly label: MessageKey
  readonly isNumber?: boolean
  readonly isHiddenByDefault?: boolean
  /** Whether it is only available with the extensions. */
  readonly isExtension?: boolean
  /** Whether its values are edited in its cells. If so, the column and the field have the same name. */
  readonly isEditable?: true
  text(row: Assignment, names: NameLookup): string
  /** Returns the value in an exported table. If missing, the text is exported. */
  value?(row: Assignment, names: NameLookup): string | number
  /** If missing, rows are sorted by the text. */
  sortKey?(row: Assignment, stagePositions: ReadonlyMap<string, number>): string | number
}

function labelNames({ id }: Assignment, names: NameLookup): string {
  return names
    .labelsOf(id)
    .map(({ name }) => name)
    .join(', ')
}

const formatDayOf = (day: string): string => (day === '' ? '' : formatDay(day))

/** The sort key of assignments without dates, which come after all others. */
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
    name: 'person',
    label: 'Responsible',
    isEditable: true,
    text: (row, names) => (row.isUnassigned ? '' : names.personOf(row.userId)),
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
    label: 'Planned',
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

/** Shows or hides a column. Returns the value for the address, which is empty for the default columns. */
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

/** Parses the name of a column from the address; a minus before it means descending. */
export function parseOrder(query: URLSearchParams): SortOrder {
  const text = query.get('sort') ?? 'end'
  const name = text.replace(/^-/, '')
  const findColumn = (wanted: string) => columns.find((column) => column.name === wanted)
  const column = findColumn(name) ?? (findColumn('end') as Column)
  return { column, isDescending: text.startsWith('-') }
}

/**
 * Sorts by the clicked column, or reverses its order. Returns the value for the address; empty for the
 * default.
 */
export function toggleSort({ column, isDescending }: SortOrder, clicked: ColumnName): string {
  const next = column.name === clicked && !isDescending ? `-${clicked}` : clicked
  return next === 'end' ? '' : next
}

export interface ListContext {
  readonly names: NameLookup
  /** The position of each stage in the workflow. */
  readonly stagePositions: ReadonlyMap<string, number>
  readonly doneStageIds: { has(stageId: string): boolean }
}

/**
 * Sorts ties by name, then by id, so that the order is stable. In the default order, which is by end date,
 * finished work comes last.
 */
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

/** The values that all assignments of a group have. */
export type GroupValues = Readonly<
  Partial<Record<'workflowId' | 'userId' | 'priority' | 'assignmentTypeId' | 'endDate', string>>
>

export interface Grouping {
  /** The name of the column with the same values, if there is one. */
  readonly name: ColumnName | 'week'
  readonly label: MessageKey
  readonly isExtension?: boolean
  keyOf(row: Assignment, names: NameLookup): string
  title(key: string, names: NameLookup): string
  /** If missing, groups are sorted by title only. */
  position?(key: string, stagePositions: ReadonlyMap<string, number>): number
  /** Returns the values of a new assignment in the group. If missing, none can be created there. */
  newValues?(key: string): GroupValues
}

export const groupings: readonly Grouping[] = [
  {
    name: 'stage',
    label: 'Stage',
    keyOf: ({ workflowId }) => workflowId,
    title: (key, names) => names.stageOf(key),
    position: (key, stagePositions) => stagePositions.get(key) ?? 0,
    newValues: (workflowId) => ({ workflowId }),
  },
  {
    name: 'person',
    label: 'Responsible',
    keyOf: responsibleOf,
    title: (key, names) => (key === '' ? t('Unassigned') : names.personOf(key)),
    position: (key) => Number(key === ''),
    newValues: (userId) => ({ userId }),
  },
  {
    name: 'priority',
    label: 'Priority',
    isExtension: true,
    keyOf: ({ priority }) => String(priority ?? 0),
    title: (key) => priorityNames()[Number(key)] ?? '',
    position: (key) => -Number(key),
    newValues: (key) => ({ priority: key === '0' ? '' : key }),
  },
  {
    // A group has the assignments with exactly the same labels, so that each assignment is listed once.
    name: 'labels',
    label: 'Labels',
    isExtension: true,
    keyOf: labelNames,
    title: (key) => key || t('No label'),
    position: (key) => Number(key === ''),
  },
  {
    name: 'type',
    label: 'Type',
    keyOf: ({ assignmentTypeId }) => assignmentTypeId,
    title: (key, names) => names.typeOf(key),
    newValues: (assignmentTypeId) => ({ assignmentTypeId }),
  },
  {
    name: 'week',
    label: 'End week',
    keyOf: (row) => (row.isUnscheduled ? '' : mondayOf(dayOf(row.endDate))),
    title: (key) => (key === '' ? t('No dates') : t('Ends {week}', { week: formatWeek(key) })),
    position: (key) => (key === '' ? Number.MAX_VALUE : Date.parse(key)),
    newValues: (monday) => ({ endDate: monday === '' ? '' : addDays(monday, fridayOffset) }),
  },
]

export const availableGroupings = ({ extensions }: { readonly extensions: boolean }): readonly Grouping[] =>
  groupings.filter(({ isExtension }) => extensions || !isExtension)

export const parseGrouping = (
  query: URLSearchParams,
  configuration: { readonly extensions: boolean },
): Grouping | undefined => availableGroupings(configuration).find(({ name }) => name === query.get('group'))

/** A line of the table: an assignment, or the header of a group. */
export type Line =
  | {
      readonly id: string
      readonly row: Assignment
      /** The assignment that this row is a part of, if it is in the list. */
      readonly parent?: Assignment
      /** The number of its ancestors in the list; missing if there are none. */
      readonly depth?: number
    }
  | {
      readonly id: string
      readonly title: string
      readonly grouping: Grouping['name']
      readonly newValues: GroupValues | undefined
      readonly rows: readonly Assignment[]
    }

/** Puts parts below their parent if it is among the rows. Otherwise, the order stays the same. */
function nestLines(rows: readonly Assignment[]): Line[] {
  const shown = new Map(rows.map((row) => [row.id, row]))
  const parentOf = ({ parentId }: Assignment) => (parentId ? shown.get(parentId) : undefined)
  const byParent = Map.groupBy(rows, (row) => parentOf(row)?.id)
  const linesBelow = (parent: Assignment, depth: number): Line[] =>
    (byParent.get(parent.id) ?? []).flatMap((row) => [
      { id: row.id, row, parent, depth },
      ...linesBelow(row, depth + 1),
    ])
  return (byParent.get(undefined) ?? []).flatMap((row) => [{ id: row.id, row }, ...linesBelow(row, 1)])
}

export function linesOf(
  rows: readonly Assignment[],
  grouping: Grouping | undefined,
  { names, stagePositions }: ListContext,
): Line[] {
  if (grouping === undefined) return nestLines(rows)
  const groups = [...Map.groupBy(rows, (row) => grouping.keyOf(row, names))].map(([key, groupRows]) => ({
    key,
    title: grouping.title(key, names),
    position: grouping.position?.(key, stagePositions) ?? 0,
    rows: groupRows,
  }))
  const compareTexts = new Intl.Collator(locale()).compare
  groups.sort((a, b) => a.position - b.position || compareTexts(a.title, b.title))
  return groups.flatMap((group) => [
    {
      id: `group-${group.key}`,
      title: group.title,
      grouping: grouping.name,
      newValues: grouping.newValues?.(group.key),
      rows: group.rows,
    },
    ...nestLines(group.rows),
  ])
}
