import { useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { priorityNames } from '../../../assignment/priority.ts'
import { responsibleOf } from '../../../data/assignments.ts'
import { readStoredJson } from '../../../services/browser-storage.ts'
import { saveFile } from '../../../services/files.ts'
import { locale, type MessageKey, t } from '../../../texts/text.ts'
import { addDays, dayOf, formatWeek, fridayOffset, mondayOf, today } from '../../../time/days.ts'
import { toCsv } from '../../../ui/csv.ts'
import type { NameLookup } from '../name-lookup.ts'
import {
  columns as allColumns,
  type Column,
  type ColumnName,
  type ListContext,
  labelNames,
} from './list-columns.ts'

type Assignment = RecordOf<'assignment'>

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

const groupings: readonly Grouping[] = [
  {
    name: 'stage',
    label: 'Stage',
    keyOf: ({ workflowId }) => workflowId,
    title: (key, names) => names.stageOf(key),
    position: (key, stagePositions) => stagePositions.get(key) ?? 0,
    newValues: (workflowId) => ({ workflowId }),
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
    name: 'person',
    label: 'Responsible',
    keyOf: responsibleOf,
    title: (key, names) => (key === '' ? t('Unassigned') : names.personOf(key)),
    position: (key) => Number(key === ''),
    newValues: (userId) => ({ userId }),
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
      /** The number of its ancestors in the list. Missing if there are none. */
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

export interface FoldedGroups {
  has(lineId: string): boolean
  toggle(lineId: string): void
}

/** Remembers in this browser which groups of a project's lists show only their heading. */
export function useFoldedGroups(projectId: string): FoldedGroups {
  const key = `tracker.folded.${projectId}`
  const [ids, setIds] = useState<readonly string[]>(() => readStoredJson<readonly string[]>(key) ?? [])
  return {
    has: (lineId) => ids.includes(lineId),
    toggle(lineId) {
      const next = ids.includes(lineId) ? ids.filter((id) => id !== lineId) : [...ids, lineId]
      localStorage.setItem(key, JSON.stringify(next))
      setIds(next)
    },
  }
}

/** Leaves out the assignments of folded groups. */
export function unfoldedLines(lines: readonly Line[], folded: FoldedGroups): readonly Line[] {
  let isFolded = false
  return lines.filter((line) => {
    if ('row' in line) return !isFolded
    isFolded = folded.has(line.id)
    return true
  })
}

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
  const header = columns.map(({ label, exported = label }) => t(exported))
  const cells: Cells[] = [added ? [t(added.label), ...header] : header]
  let groupTitle = ''
  for (const line of lines) {
    if ('row' in line) {
      const { row } = line
      const values = columns.map((column) => column.value?.(row, names) ?? column.text(row, names))
      // The text of the column is used, because an import would create a label from the title "No label".
      cells.push(added ? [groupColumn?.text(row, names) ?? groupTitle, ...values] : values)
    } else groupTitle = line.title
  }
  return cells
}
