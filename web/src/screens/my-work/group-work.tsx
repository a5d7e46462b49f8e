import type { VNode } from 'preact'
import { priorityNames } from '../../assignment/priority.ts'
import { endDayOf, responsibleOf } from '../../data/assignments.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import { addDays, daysInWeek, mondayOf, today } from '../../time/days.ts'
import { PriorityShape } from '../../ui/marks.tsx'
import { ProjectMark } from '../../ui/page.tsx'
import type { Assignment, MyWork } from './load-my-work.ts'

export type GroupingName = 'end' | 'project' | 'priority'

interface Grouping {
  readonly label: MessageKey
  readonly isExtension?: boolean
  keyOf(row: Assignment, work: MyWork): string
  title(key: string, work: MyWork): string
  /** If missing, groups are sorted by title. */
  position?(key: string): number
  /** Whether assignments may be missing in a group. If missing, all groups of a cut list are incomplete. */
  isCut?(key: string, work: MyWork): boolean
  mark?(key: string, work: MyWork): VNode
}

/** The groups by end, in the order of the screen. */
const ends = {
  blocked: 'Blocked',
  overdue: 'Overdue',
  today: 'Ends today',
  week: 'Ends this week',
  next: 'Ends next week',
  later: 'Ends later',
  unscheduled: 'No dates',
} as const satisfies Readonly<Record<string, MessageKey>>
type End = keyof typeof ends

const endNames = Object.keys(ends)

export const groupings: Readonly<Record<GroupingName, Grouping>> = {
  end: {
    label: 'End',
    keyOf: (row, { blockedSince }) => (blockedSince.has(row.id) ? 'blocked' : nameOfEnd(endDayOf(row))),
    title: (key) => t(ends[key as End]),
    position: (key) => endNames.indexOf(key),
    isCut: isCutByEnd,
  },
  project: {
    label: 'Project',
    keyOf: ({ projectId }) => projectId,
    title: (key, { projects }) => projects.get(key)?.name ?? '',
    mark: (key, { projects }) => <ProjectMark project={projects.get(key) ?? { id: key }} />,
  },
  priority: {
    label: 'Priority',
    isExtension: true,
    keyOf: ({ priority }) => String(priority ?? 0),
    title: (key) => priorityNames()[Number(key)] ?? '',
    position: (key) => -Number(key),
    mark: (key) => <PriorityShape priority={Number(key)} />,
  },
}

function nameOfEnd(endDay: string, currentDay = today()): End {
  if (endDay === '') return 'unscheduled'
  if (endDay < currentDay) return 'overdue'
  if (endDay === currentDay) return 'today'
  const monday = mondayOf(currentDay)
  if (endDay < addDays(monday, daysInWeek)) return 'week'
  return endDay < addDays(monday, 2 * daysInWeek) ? 'next' : 'later'
}

/** Blocked assignments may end on any day. */
function isCutByEnd(key: string, { cutFrom, isUnscheduledCut }: MyWork): boolean {
  if (key === 'unscheduled') return isUnscheduledCut
  if (cutFrom === undefined) return key === 'blocked' && isUnscheduledCut
  return key === 'blocked' || endNames.indexOf(key) >= endNames.indexOf(nameOfEnd(cutFrom))
}

const isCutAnywhere = (_: string, { cutFrom, isUnscheduledCut }: MyWork): boolean =>
  cutFrom !== undefined || isUnscheduledCut

export type Role = 'any' | 'responsible' | 'participant'

interface RoleChoice {
  readonly label: MessageKey
  includes(row: Assignment, userId: string): boolean
}

/** Every row that the user is not responsible for is there because the user takes part in it. */
export const roles: Readonly<Record<Role, RoleChoice>> = {
  any: { label: 'Everything', includes: () => true },
  responsible: { label: 'Responsible', includes: (row, userId) => responsibleOf(row) === userId },
  participant: { label: 'Participant', includes: (row, userId) => responsibleOf(row) !== userId },
}

export interface WorkGroup {
  readonly key: string
  readonly title: string
  readonly mark: VNode | undefined
  readonly rows: readonly Assignment[]
  /** True if assignments of the group may be missing, so that their count is not known. */
  readonly isCut: boolean
}

/** Groups rows. Within a group, they keep their order. */
export function groupWork(
  rows: readonly Assignment[],
  work: MyWork,
  { keyOf, title, position = () => 0, mark, isCut = isCutAnywhere }: Grouping,
): readonly WorkGroup[] {
  return [...Map.groupBy(rows, (row) => keyOf(row, work))]
    .map(([key, rowsOfGroup]) => ({
      key,
      title: title(key, work),
      mark: mark?.(key, work),
      rows: rowsOfGroup,
      isCut: isCut(key, work),
    }))
    .sort((a, b) => position(a.key) - position(b.key) || a.title.localeCompare(b.title))
}
