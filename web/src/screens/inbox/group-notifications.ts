import type { Notification } from '#tracker-client'
import { t } from '../../texts/text.ts'
import { addDays, dayOfTimestamp, formatDay, today } from '../../time/days.ts'

export interface NotificationGroup {
  readonly assignmentId: string
  readonly name: string
  readonly projectId: string
  /** The notifications, the newest first. */
  readonly notifications: readonly Notification[]
}

/** Groups notifications by assignment. The assignment with the newest notification is first. */
export function groupNotifications(notifications: readonly Notification[]): readonly NotificationGroup[] {
  const byAssignment = Map.groupBy(notifications, ({ assignmentId }) => assignmentId)
  return [...byAssignment].map(([assignmentId, group]) => ({
    assignmentId,
    name: group[0]?.assignmentName ?? '',
    projectId: group[0]?.projectId ?? '',
    notifications: group.toSorted(byMinute),
  }))
}

/** Groups assignments by the day of their newest notification, from the newest day to the oldest. */
export const groupByDay = (
  groups: readonly NotificationGroup[],
): readonly (readonly [string, NotificationGroup[]])[] => [
  ...Map.groupBy(groups, ({ notifications: [newest] }) => dayOfTimestamp(newest?.at ?? '')),
]

/** The order of kinds within a minute. An assignment is assigned before it is blocked or moved. */
const kindOrder: readonly Notification['kind'][] = [
  'assigned',
  'mentioned',
  'commented',
  'blocked',
  'unblocked',
  'dependencyDone',
  'stageChanged',
  'dueTomorrow',
  'overdue',
]

/** Sorts the newest first. Rows show only minutes, so within a minute the order depends on the kinds. */
const byMinute = (one: Notification, other: Notification): number =>
  minuteOf(other) - minuteOf(one) || kindOrder.indexOf(other.kind) - kindOrder.indexOf(one.kind)

const minuteOf = ({ at }: Notification): number => Math.floor(Date.parse(at) / 60_000)

/**
 * Returns the text of a notification about the end of an assignment. It names the current end, which may have
 * been moved. `end` is undefined while the assignment is unknown, or if it has no dates.
 */
export function endTextOf(kind: Notification['kind'], end: string | undefined): string {
  if (end !== undefined && end < today()) return t('Ended {day}', { day: formatDay(end) })
  if (kind === 'overdue') return t('Overdue')
  if (end === undefined) return t('Ends soon')
  return end === addDays(today(), 1) ? t('Ends tomorrow') : t('Ends {day}', { day: formatDay(end) })
}
