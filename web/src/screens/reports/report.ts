import type { RecordOf } from '../../api/api.ts'
import { byId, loadAll, loadByIds } from '../../api/load-all.ts'
import { responsibleOf } from '../../data/planned.ts'
import type { Services } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { addDays, dayOf, daysInWeek, mondayOf } from '../../time/days.ts'
import { plannedHours, sumHours } from '../../time/hours.ts'

/** The planned and recorded hours of a week, a project or an assignment. */
export interface HoursRow {
  readonly id: string
  readonly name: string
  readonly planned: number
  readonly recorded: number
  /** That of a project. */
  readonly color?: RecordOf<'project'>['color']
}

export interface Report {
  readonly mondays: readonly string[]
  /** A week's id is its Monday. */
  readonly weeks: readonly HoursRow[]
  /** The projects or, in the report of a project, its assignments; sorted by hours. */
  readonly parts: readonly HoursRow[]
  /** The people who are responsible for planned hours or have recorded some; sorted by hours. */
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
  signal: AbortSignal,
): Promise<Report> {
  const [dateFrom, dateTo] = periodOf(mondays)
  const options = { pagesMax, signal }
  const [planned, recorded] = await Promise.all([
    loadAll(api, 'assignment', { projectId, dateFrom, dateTo }, options),
    loadAll(api, 'appointment', { dateFrom, dateTo }, options),
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
  const data = { mondays, assignments, appointments }
  await people.waitForNames([...assignments, ...appointments].map(({ userId }) => userId))
  return {
    mondays,
    weeks: hoursByWeek(data),
    parts: projectId === undefined ? hoursByProject(data, projects) : hoursByAssignment(data),
    people: hoursByPerson(data, people.nameOf),
    isCut: planned.isCut || recorded.isCut,
  }
}

/** Returns the first day of the weeks, and the first after them. */
const periodOf = (mondays: readonly string[]) =>
  [mondays[0] ?? '', addDays(mondays.at(-1) ?? '', daysInWeek)] as const

export interface ReportData {
  readonly mondays: readonly string[]
  readonly assignments: readonly RecordOf<'assignment'>[]
  readonly appointments: readonly RecordOf<'appointment'>[]
}

export function hoursByWeek({ mondays, assignments, appointments }: ReportData): HoursRow[] {
  const recorded = Map.groupBy(appointments, ({ keepDate }) => mondayOf(dayOf(keepDate)))
  return mondays.map((monday) => ({
    id: monday,
    name: monday,
    planned: plannedIn(assignments, monday, addDays(monday, daysInWeek)),
    recorded: sumHours(recorded.get(monday) ?? []),
  }))
}

export function hoursByAssignment({ mondays, assignments, appointments }: ReportData): HoursRow[] {
  const recorded = Map.groupBy(appointments, ({ assignmentId }) => assignmentId)
  const [from, to] = periodOf(mondays)
  return assignments
    .map((assignment) => ({
      id: assignment.id,
      name: assignment.name,
      planned: plannedIn([assignment], from, to),
      recorded: sumHours(recorded.get(assignment.id) ?? []),
    }))
    .sort(byHours)
}

export function hoursByProject(
  data: ReportData,
  projects: ReadonlyMap<string, Pick<RecordOf<'project'>, 'name' | 'color'>>,
): HoursRow[] {
  const hours = byId(hoursByAssignment(data))
  return [...Map.groupBy(data.assignments, ({ projectId }) => projectId)]
    .map(([id, assignments]) => {
      const parts = assignments.flatMap((assignment) => hours.get(assignment.id) ?? [])
      return {
        id,
        name: projects.get(id)?.name ?? t('Project'),
        color: projects.get(id)?.color,
        planned: parts.reduce((sum, part) => sum + part.planned, 0),
        recorded: sumHours(parts.map(({ recorded }) => ({ amountHours: recorded }))),
      }
    })
    .sort(byHours)
}

/** Hours are planned for the responsible person, and recorded by the one who has worked. */
export function hoursByPerson(
  { mondays, assignments, appointments }: ReportData,
  nameOf: (id: string) => string,
): HoursRow[] {
  const [from, to] = periodOf(mondays)
  const planned = Map.groupBy(assignments, responsibleOf)
  const recorded = Map.groupBy(appointments, ({ userId }) => userId)
  return [...new Set([...planned.keys(), ...recorded.keys()])]
    .map((id) => ({
      id,
      name: id === '' ? t('Unassigned') : nameOf(id),
      planned: plannedIn(planned.get(id) ?? [], from, to),
      recorded: sumHours(recorded.get(id) ?? []),
    }))
    .filter((row) => row.planned + row.recorded > 0)
    .sort(byHours)
}

const plannedIn = (assignments: ReportData['assignments'], from: string, to: string): number =>
  assignments.reduce((sum, assignment) => sum + plannedHours(assignment, from, to), 0)

const byHours = (a: HoursRow, b: HoursRow): number =>
  b.recorded + b.planned - a.recorded - a.planned || a.name.localeCompare(b.name)
