import type { RecordOf } from '../../../api/api.ts'
import { locale, type Text, t } from '../../../texts/text.ts'
import { dayOf } from '../../../time/days.ts'
import { mondayOf, showWeek } from '../../../time/weeks.ts'
import type { ViewNames } from '../view-names.ts'
import { type Column, type ColumnName, columns } from './list-columns.ts'

type Assignment = RecordOf<'assignment'>

export interface Order {
  readonly column: Column
  readonly isDescending: boolean
}

/** As the address has it: the name of a column, after a minus where the greatest comes first. */
export function readOrder(query: URLSearchParams): Order {
  const text = query.get('sort') ?? 'end'
  const name = text.replace(/^-/, '')
  const column = columns.find((one) => one.name === name) ?? columns.find((one) => one.name === 'end')
  return { column: column as Column, isDescending: text.startsWith('-') }
}

/** What the address says after a click on the head of a column. */
export function orderAfter({ column, isDescending }: Order, clicked: ColumnName): string {
  const next = column.name === clicked && !isDescending ? `-${clicked}` : clicked
  return next === 'end' ? '' : next
}

export interface Naming {
  readonly names: ViewNames
  /** Which place a stage has in the workflow. */
  readonly places: ReadonlyMap<string, number>
}

/** Equal ones by their names, then by their ids, so that nothing jumps. */
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
    title: (key) => t('Due {week}', { week: showWeek(key) }),
  },
]

export const readGrouping = (query: URLSearchParams): Grouping | undefined =>
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
