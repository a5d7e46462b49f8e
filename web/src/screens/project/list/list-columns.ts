import type { RecordOf } from '../../../api/api.ts'
import { locale, type Text, t } from '../../../texts/text.ts'
import { dayOf, formatDay, formatWeek, mondayOf } from '../../../time/days.ts'
import { formatHours } from '../../../time/hours.ts'
import type { ViewNames } from '../view-names.ts'

type Assignment = RecordOf<'assignment'>

type ColumnName = 'name' | 'stage' | 'type' | 'person' | 'start' | 'end' | 'hours' | 'changed'

export interface Column {
  readonly name: ColumnName
  readonly label: Text
  readonly isNumber?: boolean
  /** Hidden unless chosen. */
  readonly isExtra?: boolean
  text(row: Assignment, names: ViewNames): string
  /** The sort key, where it is not the text. */
  key?(row: Assignment, places: ReadonlyMap<string, number>): string | number
}

const changedAt = ({ createdAt, updatedAt }: Assignment): string => updatedAt ?? createdAt

/** The columns in order; the name is always shown. */
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
    text: ({ startDate }) => formatDay(startDate),
    key: ({ startDate }) => startDate,
  },
  { name: 'end', label: 'End', text: ({ endDate }) => formatDay(endDate), key: ({ endDate }) => endDate },
  {
    name: 'hours',
    label: 'Planned',
    isNumber: true,
    text: ({ amountHours }) => (amountHours === 0 ? '' : formatHours(amountHours)),
    key: ({ amountHours }) => amountHours,
  },
  {
    name: 'changed',
    label: 'Changed',
    isExtra: true,
    text: (row) => formatDay(dayOf(changedAt(row))),
    key: changedAt,
  },
]

const usualNames = columns.filter(({ isExtra }) => !isExtra).map(({ name }) => name)

/** Parsed from the address, where they are separated by commas; the default without any. */
export function parseColumns(query: URLSearchParams): readonly Column[] {
  const wanted = query.get('columns')?.split(',') ?? usualNames
  return columns.filter(({ name }) => name === 'name' || wanted.includes(name))
}

/** Toggles a column; empty for the default. */
export function columnsAfter(shown: readonly Column[], toggled: Column): string {
  const isShown = shown.includes(toggled)
  const next = columns.filter((one) => (one === toggled ? !isShown : shown.includes(one)))
  const names = next.map(({ name }) => name).join(',')
  return names === usualNames.join(',') ? '' : names
}

export interface Order {
  readonly column: Column
  readonly isDescending: boolean
}

/** Parsed from the address: the name of a column, after a minus for descending. */
export function parseOrder(query: URLSearchParams): Order {
  const text = query.get('sort') ?? 'end'
  const name = text.replace(/^-/, '')
  const column = columns.find((one) => one.name === name) ?? columns.find((one) => one.name === 'end')
  return { column: column as Column, isDescending: text.startsWith('-') }
}

/** The address after a click on the head of a column. */
export function orderAfter({ column, isDescending }: Order, clicked: ColumnName): string {
  const next = column.name === clicked && !isDescending ? `-${clicked}` : clicked
  return next === 'end' ? '' : next
}

export interface Naming {
  readonly names: ViewNames
  /** The position of each stage in the workflow. */
  readonly places: ReadonlyMap<string, number>
}

/** Ties are sorted by name, then by id, so that the order is stable. */
export function inOrder(
  rows: readonly Assignment[],
  { column, isDescending }: Order,
  { names, places }: Naming,
) {
  const compareTexts = new Intl.Collator(locale(), { numeric: true }).compare
  const keyed = rows.map((row) => ({ row, key: column.key?.(row, places) ?? column.text(row, names) }))
  const compareKeys = (a: string | number, b: string | number): number => {
    if (column.key === undefined) return compareTexts(String(a), String(b))
    return a < b ? -1 : Number(a > b)
  }
  const sign = isDescending ? -1 : 1
  keyed.sort(
    (a, b) =>
      sign * compareKeys(a.key, b.key) ||
      compareTexts(a.row.name, b.row.name) ||
      (a.row.id < b.row.id ? -1 : 1),
  )
  return keyed.map(({ row }) => row)
}

export interface Grouping {
  readonly name: 'stage' | 'person' | 'type' | 'week'
  readonly label: Text
  keyOf(row: Assignment): string
  title(key: string, names: ViewNames): string
}

export const groupings: readonly Grouping[] = [
  {
    name: 'stage',
    label: 'Stage',
    keyOf: ({ workflowId }) => workflowId,
    title: (key, names) => names.stageOf(key),
  },
  {
    name: 'person',
    label: 'Responsible',
    keyOf: ({ userId }) => userId,
    title: (key, names) => names.personOf(key),
  },
  {
    name: 'type',
    label: 'Type',
    keyOf: ({ assignmentTypeId }) => assignmentTypeId,
    title: (key, names) => names.typeOf(key),
  },
  {
    name: 'week',
    label: 'Week of its end',
    keyOf: ({ endDate }) => mondayOf(dayOf(endDate)),
    title: (key) => t('Due {week}', { week: formatWeek(key) }),
  },
]

export const parseGrouping = (query: URLSearchParams): Grouping | undefined =>
  groupings.find(({ name }) => name === query.get('group'))

/** A line of the list: an assignment, or the head of a group. */
export type Line =
  | { readonly id: string; readonly row: Assignment }
  | { readonly id: string; readonly title: string; readonly rows: readonly Assignment[] }

/** Groups by stage in the order of the workflow, by week in time, else by their titles. */
export function linesOf(
  rows: readonly Assignment[],
  grouping: Grouping | undefined,
  { names, places }: Naming,
): Line[] {
  const lines = (some: readonly Assignment[]) => some.map((row) => ({ id: row.id, row }))
  if (grouping === undefined) return lines(rows)
  const groups = [...Map.groupBy(rows, grouping.keyOf)].map(([key, some]) => ({
    key,
    title: grouping.title(key, names),
    rows: some,
  }))
  const compareTexts = new Intl.Collator(locale()).compare
  groups.sort(
    (a, b) =>
      (places.get(a.key) ?? 0) - (places.get(b.key) ?? 0) ||
      (grouping.name === 'week' ? compareTexts(a.key, b.key) : compareTexts(a.title, b.title)),
  )
  return groups.flatMap(({ key, title, rows: some }) => [
    { id: `group-${key}`, title, rows: some },
    ...lines(some),
  ])
}
