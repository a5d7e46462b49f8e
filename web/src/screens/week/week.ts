import { filter, limits, type Tracker } from '#tracker-client'
import type { Api, RecordOf } from '../../api/api.ts'
import { type ById, byId, loadAll, loadByIds, rowsMax } from '../../api/load-all.ts'
import { addDays, dayOf, daysInWeek } from '../../time/days.ts'

export type Appointment = RecordOf<'appointment'>
export type Assignment = RecordOf<'assignment'>

/** At most 500 entries are loaded. If there are more, the screen says so. */
const pagesMax = 5

export interface WeekRow {
  readonly assignment: Assignment
  readonly projectName: string
}

export interface WeekRows {
  /** Sorted by project, then by name. */
  readonly rows: readonly WeekRow[]
  readonly isCut: boolean
}

export const loadEntries = (api: Api, userId: string, monday: string, signal: AbortSignal) =>
  loadAll(
    api,
    'appointment',
    { userId, dateFrom: monday, dateTo: addDays(monday, daysInWeek), sortColumn: 'createdAt' },
    { pagesMax, signal },
  )

/**
 * Loads the assignments that the person may have worked on: assignments of this week, assignments with
 * recorded hours, and assignments that were added by hand.
 */
export async function loadWeekRows(
  api: Api,
  userId: string,
  monday: string,
  requiredIds: readonly string[],
  signal: AbortSignal,
): Promise<WeekRows> {
  const dateTo = addDays(monday, daysInWeek)
  const [responsible, links] = await Promise.all([
    loadAll(api, 'assignment', { userId, dateFrom: monday, dateTo }, { pagesMax: 1, signal }),
    // Only the newest links are loaded, because old assignments are finished.
    loadAll(
      api,
      'userAssignment',
      { userId, sortColumn: 'createdAt', sortOrder: 'DESC' },
      { pagesMax: 1, signal },
    ),
  ])
  const linkedIds = links.rows.map(({ assignmentId }) => assignmentId)
  const candidates = await loadByIds(api, 'assignment', [...requiredIds, ...linkedIds], signal)
  const isInWeek = ({ startDate, endDate, isUnscheduled }: Assignment) =>
    !isUnscheduled && dayOf(startDate) < dateTo && dayOf(endDate) >= monday
  const required = [...candidates.values()].filter((row) => requiredIds.includes(row.id) || isInWeek(row))
  const assignments = [...byId([...responsible.rows, ...required]).values()]
  return {
    rows: toSortedRows(assignments, await loadProjects(api, assignments, signal)),
    isCut: responsible.isCut || linkedIds.length === rowsMax,
  }
}

const loadProjects = (api: Api, assignments: readonly Assignment[], signal: AbortSignal) =>
  loadByIds(
    api,
    'project',
    assignments.map(({ projectId }) => projectId),
    signal,
  )

const toSortedRows = (assignments: readonly Assignment[], projects: ById<RecordOf<'project'>>): WeekRow[] =>
  assignments
    .map((assignment) => ({ assignment, projectName: projects.get(assignment.projectId)?.name ?? '' }))
    .sort(
      (a, b) =>
        a.projectName.localeCompare(b.projectName) || a.assignment.name.localeCompare(b.assignment.name),
    )

/** Sums of more entries would take too many requests, so they are not shown. */
const entriesMax = 1000

/**
 * Loads the hours that all users have recorded for each assignment. Returns undefined if there are too many
 * assignments or entries. This requires the extensions.
 */
export async function loadRecordedHours(
  tracker: Tracker,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  // Sums of fractions are inexact, so hundredths are added.
  const hundredths = new Map(ids.map((id) => [id, 0]))
  if (ids.length === 0 || ids.length > limits.ids) return undefined
  const query = {
    filter: filter`assignmentId in ${ids}`,
    fields: ['assignmentId', 'amountHours'],
  } as const
  // A filter has room for about 40 ids.
  if (query.filter.length > limits.filter) return undefined
  let entries = 0
  for await (const { assignmentId, amountHours } of tracker.appointments.rows(query, { signal })) {
    entries += 1
    if (entries > entriesMax) return undefined
    hundredths.set(assignmentId, (hundredths.get(assignmentId) ?? 0) + Math.round(amountHours * 100))
  }
  return new Map([...hundredths].map(([id, sum]) => [id, sum / 100]))
}

/** The entries of an assignment on a day. */
export interface Cell {
  readonly assignmentId: string
  readonly day: string
  readonly entries: readonly Appointment[]
}

export const cellKeyOf = ({ assignmentId, day }: { assignmentId: string; day: string }): string =>
  `${assignmentId} ${day}`

export const entriesByCell = (entries: readonly Appointment[]): ReadonlyMap<string, readonly Appointment[]> =>
  Map.groupBy(entries, ({ assignmentId, keepDate }) => cellKeyOf({ assignmentId, day: dayOf(keepDate) }))
