import type { RecordOf } from '../../api/api.ts'
import { byId, loadAll, loadByIds } from '../../api/load-all.ts'
import { responsibleOf } from '../../data/assignments.ts'
import { stagesQuery } from '../../data/project-stages.ts'
import type { Services } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { addDays, dayOf, daysInWeek, mondayOf } from '../../time/days.ts'
import { plannedHours, roundHours, roundPlanned, sumHours } from '../../time/hours.ts'

export interface Hours {
  readonly planned: number
  readonly recorded: number
  /** The planned hours that are not recorded yet, of assignments that are not done. */
  readonly left: number
  /** The recorded hours that exceed the plan of their assignment. */
  readonly over: number
}

/** The hours of a week, a project, an assignment or a person. */
export interface HoursRow extends Hours {
  readonly id: string
  readonly name: string
  /** The color of a project. Other rows have none. */
  readonly color?: RecordOf<'project'>['color']
}

export interface Report {
  readonly mondays: readonly string[]
  /** A week's id is its Monday. */
  readonly weeks: readonly HoursRow[]
  /** The projects or, in the report of a project, its assignments. The most recorded hours come first. */
  readonly parts: readonly HoursRow[]
  /** The people who are responsible for planned hours or have recorded some, in the same order. */
  readonly people: readonly HoursRow[]
  readonly isCut: boolean
}

/**
 * At most 5,000 assignments and as many entries are loaded. If there are more, the screen says that the sums
 * are incomplete.
 */
export const pagesMax = 50

export async function loadReport(
  { api, people }: Pick<Services, 'api' | 'people'>,
  mondays: readonly string[],
  projectId: string | undefined,
  /** Returns the ids of the stages that mean done in a project. */
  doneStagesOf: (projectId: string, stages: readonly RecordOf<'workflow'>[]) => ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Report> {
  const [dateFrom, dateTo] = periodOf(mondays)
  const options = { pagesMax, signal }
  const [planned, recorded, stages] = await Promise.all([
    loadAll(api, 'assignment', { projectId, dateFrom, dateTo }, options),
    loadAll(api, 'appointment', { dateFrom, dateTo }, options),
    api.list('workflow', stagesQuery, signal),
  ])
  const plannedById = byId(planned.rows)
  const unplannedIds = recorded.rows
    .map(({ assignmentId }) => assignmentId)
    .filter((id) => !plannedById.has(id))
  const unplanned = await loadByIds(api, 'assignment', unplannedIds, signal)
  const assignments = [...plannedById.values(), ...unplanned.values()].filter(
    (assignment) => projectId === undefined || assignment.projectId === projectId,
  )
  const projectIds = projectId === undefined ? assignments.map((assignment) => assignment.projectId) : []
  const projects = await loadByIds(api, 'project', projectIds, signal)
  const included = byId(assignments)
  const appointments = recorded.rows.filter(({ assignmentId }) => included.has(assignmentId))
  const isDone = (row: Assignment) => doneStagesOf(row.projectId, stages.data).has(row.workflowId)
  const data = { mondays, assignments, appointments, isDone }
  await people.waitForNames([...assignments, ...appointments].map(({ userId }) => userId))
  const byAssignment = hoursByAssignment(data)
  return {
    mondays,
    weeks: hoursByWeek(data),
    parts: projectId === undefined ? hoursByProject(data, byAssignment, projects) : byAssignment,
    people: hoursByPerson(data, byAssignment, people.nameOf),
    isCut: planned.isCut || recorded.isCut,
  }
}

/** Returns the first day of the weeks, and the first day after them. */
const periodOf = (mondays: readonly string[]) =>
  [mondays[0] ?? '', addDays(mondays.at(-1) ?? '', daysInWeek)] as const

type Assignment = RecordOf<'assignment'>

export interface ReportData {
  readonly mondays: readonly string[]
  readonly assignments: readonly Assignment[]
  readonly appointments: readonly RecordOf<'appointment'>[]
  isDone(assignment: Assignment): boolean
}

/**
 * Recorded hours use up the plan of their assignment, from its first week on. So the hours that are left and
 * those over the plan have the same sums by week as by assignment.
 */
export function hoursByWeek(data: ReportData): HoursRow[] {
  const { mondays, assignments, appointments, isDone } = data
  const entries = Map.groupBy(appointments, ({ assignmentId }) => assignmentId)
  const weeksOf = assignments.map((assignment) =>
    splitByWeek(mondays, assignment, entries.get(assignment.id) ?? [], isDone(assignment)),
  )
  return mondays.map((monday, index) => ({
    ...addHours(weeksOf.flatMap((weeks) => weeks[index] ?? [])),
    planned: roundPlanned(plannedIn(assignments, monday, addDays(monday, daysInWeek))),
    id: monday,
    name: monday,
  }))
}

function splitByWeek(
  mondays: readonly string[],
  assignment: Assignment,
  entries: ReportData['appointments'],
  isAssignmentDone: boolean,
): Omit<Hours, 'planned'>[] {
  const recordedByWeek = Map.groupBy(entries, ({ keepDate }) => mondayOf(dayOf(keepDate)))
  const [from, to] = periodOf(mondays)
  const plannedInAll = plannedIn([assignment], from, to)
  const recordedInAll = sumHours(entries)
  let recordedSoFar = 0
  let before = { left: 0, over: 0 }
  return mondays.map((monday) => {
    const recorded = sumHours(recordedByWeek.get(monday) ?? [])
    recordedSoFar += recorded
    const plannedSoFar = plannedIn([assignment], from, addDays(monday, daysInWeek))
    const { left } = compareHours(plannedSoFar, recordedInAll)
    const { over } = compareHours(plannedInAll, recordedSoFar)
    const hours = {
      recorded,
      left: isAssignmentDone ? 0 : roundHours(left - before.left),
      over: roundHours(over - before.over),
    }
    before = { left, over }
    return hours
  })
}

export function hoursByAssignment({ mondays, assignments, appointments, isDone }: ReportData): HoursRow[] {
  const entries = Map.groupBy(appointments, ({ assignmentId }) => assignmentId)
  const [from, to] = periodOf(mondays)
  return assignments
    .map((assignment) => {
      const { id, name } = assignment
      const hours = compareHours(plannedIn([assignment], from, to), sumHours(entries.get(id) ?? []))
      return { ...hours, id, name, left: isDone(assignment) ? 0 : hours.left }
    })
    .sort(byHours)
}

function compareHours(plannedHours: number, recorded: number): Hours {
  const planned = roundPlanned(plannedHours)
  const left = roundHours(planned - recorded)
  return { planned, recorded, left: Math.max(0, left), over: planned > 0 ? Math.max(0, -left) : 0 }
}

/** Adds hours. Recorded hours over the plan of one row do not reduce the remaining hours of another. */
export function addHours(rows: readonly Partial<Hours>[]): Hours {
  const sum = (key: keyof Hours) => sumHours(rows.map((row) => ({ amountHours: row[key] ?? 0 })))
  return { planned: sum('planned'), recorded: sum('recorded'), left: sum('left'), over: sum('over') }
}

export function hoursByProject(
  data: ReportData,
  byAssignment: readonly HoursRow[],
  projects: ReadonlyMap<string, Pick<RecordOf<'project'>, 'name' | 'color'>>,
): HoursRow[] {
  const hours = byId(byAssignment)
  return [...Map.groupBy(data.assignments, ({ projectId }) => projectId)]
    .map(([id, assignments]) => {
      const parts = assignments.flatMap((assignment) => hours.get(assignment.id) ?? [])
      const { name = t('Project'), color } = projects.get(id) ?? {}
      return { ...addHours(parts), id, name, color }
    })
    .sort(byHours)
}

/**
 * Planned, remaining and excess hours belong to the responsible person, and recorded hours to the person who
 * has worked.
 */
export function hoursByPerson(
  data: ReportData,
  byAssignment: readonly HoursRow[],
  nameOf: (id: string) => string,
): HoursRow[] {
  const hours = byId(byAssignment)
  const assigned = Map.groupBy(data.assignments, responsibleOf)
  const entries = Map.groupBy(data.appointments, ({ userId }) => userId)
  return [...new Set([...assigned.keys(), ...entries.keys()])]
    .map((id) => ({
      ...addHours((assigned.get(id) ?? []).flatMap((assignment) => hours.get(assignment.id) ?? [])),
      id,
      name: id === '' ? t('Unassigned') : nameOf(id),
      recorded: sumHours(entries.get(id) ?? []),
    }))
    .filter((row) => row.planned + row.recorded > 0)
    .sort(byHours)
}

const plannedIn = (assignments: ReportData['assignments'], from: string, to: string): number =>
  assignments.reduce((sum, assignment) => sum + plannedHours(assignment, from, to), 0)

const byHours = (a: HoursRow, b: HoursRow): number =>
  b.recorded - a.recorded || b.planned - a.planned || a.name.localeCompare(b.name)

const lineCountTarget = 4

/** Returns the grid lines of a chart: round numbers, from 0 to the first that is not less than `max`. */
export function ticksFor(max: number): readonly number[] {
  const roughStep = Math.max(max, 1) / lineCountTarget
  const power = 10 ** Math.floor(Math.log10(roughStep))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= roughStep) ?? 10) * power
  const count = Math.ceil(Math.max(max, 1) / step)
  return Array.from({ length: count + 1 }, (_, index) => Math.round(index * step * 100) / 100)
}
