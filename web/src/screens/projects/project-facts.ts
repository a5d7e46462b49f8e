import type { AssignmentsReport, HoursReport } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { rowsMax } from '../../api/load-all.ts'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { type ColorName, guessDoneStages } from '../../data/project-stages.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import type { MessageKey } from '../../texts/text.ts'
import { dayOf, today } from '../../time/days.ts'
import { overOf } from '../../time/hours.ts'

/** A report has at most this many groups. */
const groupsMax = 1000

/** The facts about a project in the list of projects. */
export interface ProjectFacts {
  /** Undefined if the report has too many groups. */
  readonly work?: {
    readonly open: number
    readonly total: number
    readonly plannedHours: number
    readonly recordedHours: number
    /** The hours recorded over the plans of single assignments, or over the plan of the project if these are too many. */
    readonly overHours: number
  }
  /** Undefined if there are too many overdue or blocked assignments in all projects to count them by project. */
  readonly attention?: {
    readonly overdue: number
    readonly blocked: number
    /** The next day on which an open assignment ends. */
    readonly nextEnd?: string | undefined
    /** The last day on which an open assignment ends. */
    readonly lastEnd?: string | undefined
    /** True if no open assignment has dates. */
    readonly isUndated: boolean
  }
}

/** Each state has one sentence, by which it is computed. */
export const projectStates = {
  late: {
    color: 'red',
    label: 'Late',
    meaning: 'The last planned day has passed, and assignments are open.',
  },
  atRisk: {
    color: 'amber',
    label: 'At risk',
    meaning: 'Assignments are overdue or blocked, or more hours are recorded than planned.',
  },
  onTrack: {
    color: 'green',
    label: 'On track',
    meaning: 'Nothing is overdue or blocked, and not more hours are recorded than planned.',
  },
  done: { color: 'gray', label: 'All done', meaning: 'No assignment is open.' },
} as const satisfies Readonly<
  Record<string, { readonly color: ColorName; readonly label: MessageKey; readonly meaning: MessageKey }>
>

/** Returns the state of a project, or undefined if nothing is planned or not all facts are known. */
export function stateOf({ work, attention }: ProjectFacts): keyof typeof projectStates | undefined {
  if (work === undefined || attention === undefined || work.total === 0) return undefined
  if (work.open === 0) return 'done'
  const { overdue, blocked, lastEnd } = attention
  if (lastEnd !== undefined && lastEnd < today()) return 'late'
  if (overdue + blocked > 0 || isOverPlan(work)) return 'atRisk'
  return attention.isUndated ? undefined : 'onTrack'
}

const isOverPlan = ({ plannedHours, recordedHours }: NonNullable<ProjectFacts['work']>): boolean =>
  plannedHours > 0 && recordedHours > plannedHours

/**
 * Loads the facts about all projects with a fixed number of reports and queries, however many projects there are.
 * Returns a function that returns the facts about a project, or undefined while they are loading and without the
 * extensions.
 */
export function useProjectFacts(): ((projectId: string) => ProjectFacts) | undefined {
  const { extensions } = useServices().configuration
  const stages = useListing('workflow', extensions ? catalogQuery : undefined).rows
  const workOf = useWork(stages)
  const attentionOf = useAttention(stages)
  if (workOf === undefined || attentionOf === undefined) return undefined
  return (projectId) => {
    const work = workOf(projectId)
    const attention = attentionOf(projectId)
    return { ...(work && { work }), ...(attention && { attention }) }
  }
}

type Stages = readonly RecordOf<'workflow'>[]

/** Loads the numbers of assignments and the hours. */
function useWork(stages: Stages) {
  const { configuration, tracker } = useServices()
  const { value } = useLoaded('progress', ['assignment', 'appointment'], async (signal) => {
    if (!configuration.extensions) return undefined
    const plannedBy = (groupBy: string) =>
      tracker.call('GET /ext/reports/assignments', { query: { groupBy } }, { signal })
    const recordedBy = (groupBy: string) =>
      tracker.call('GET /ext/reports/hours', { query: { groupBy } }, { signal })
    const [assignments, hours] = await Promise.all([plannedBy('project,workflow'), recordedBy('project')])
    const hasFewAssignments = assignments.result.total.assignments <= groupsMax
    const [planned, recorded] = hasFewAssignments
      ? await Promise.all([plannedBy('project,assignment'), recordedBy('assignment')])
      : []
    return {
      assignments: assignments.result,
      hours: hours.result.groups,
      over: planned && recorded && sumOver(planned.result.groups, recorded.result.groups),
    }
  })
  if (value === undefined || stages.length === 0) return undefined
  const { groups, totalGroups } = value.assignments
  const byProject = Map.groupBy(groups, ({ project }) => project?.id)
  const recorded = new Map(value.hours.map(({ project, hours }) => [project?.id, hours]))
  // Groups are sorted by project. If the report is truncated, the last project in it may be incomplete.
  const isCut = totalGroups > groups.length
  const cutId = isCut ? groups.at(-1)?.project?.id : undefined
  return (projectId: string) => {
    const ofProject = byProject.get(projectId) ?? []
    if (projectId === cutId || (isCut && ofProject.length === 0)) return undefined
    const doneStageIds = doneStagesOf(projectId, stages)
    const open = ofProject.filter(({ workflow }) => !doneStageIds.has(workflow?.id ?? ''))
    const sumOf = (parts: typeof ofProject, name: 'assignments' | 'plannedHours') =>
      parts.reduce((sum, part) => sum + part[name], 0)
    const plannedHours = sumOf(ofProject, 'plannedHours')
    const recordedHours = recorded.get(projectId) ?? 0
    return {
      open: sumOf(open, 'assignments'),
      total: sumOf(ofProject, 'assignments'),
      plannedHours,
      recordedHours,
      overHours: value.over ? (value.over.get(projectId) ?? 0) : overOf(recordedHours, plannedHours),
    }
  }
}

type Planned = AssignmentsReport['result']['groups']
type Recorded = HoursReport['result']['groups']

/** Adds the hours over the plan of each assignment by project, as the report of a project does. */
function sumOver(planned: Planned, recorded: Recorded): ReadonlyMap<string, number> {
  const recordedOf = new Map(recorded.map(({ assignment, hours }) => [assignment?.id, hours]))
  const sums = new Map<string, number>()
  for (const { project, assignment, plannedHours } of planned) {
    const over = overOf(recordedOf.get(assignment?.id) ?? 0, plannedHours)
    if (project) sums.set(project.id, (sums.get(project.id) ?? 0) + over)
  }
  return sums
}

/**
 * Loads the open assignments that end first, those that end last if these are others, and those that are blocked:
 * one page of each.
 */
function useAttention(stages: Stages) {
  const { configuration, tracker } = useServices()
  const doneIds = guessDoneStages(stages).map(({ id }) => id)
  const { value } = useLoaded(
    `attention ${doneIds.join()}`,
    ['assignment', 'assignmentImpediment'],
    async (signal) => {
      if (!configuration.extensions || doneIds.length === 0) return undefined
      const isOpen = `not workflowId in (${doneIds.map((id) => `'${id}'`).join()})`
      const dated = {
        filter: `isUnscheduled eq false and ${isOpen}`,
        fields: 'projectId,workflowId,endDate',
        pageSize: rowsMax,
      }
      const blocked = {
        expand: 'assignment',
        fields: 'assignmentId,assignment.projectId,assignment.workflowId',
        pageSize: rowsMax,
      }
      const loadEnds = (sort: string) =>
        tracker.call('GET /ext/query/assignments', { query: { ...dated, sort } }, { signal })
      const [ends, impediments] = await Promise.all([
        loadEnds('endDate'),
        tracker.call('GET /ext/query/assignmentImpediments', { query: blocked }, { signal }),
      ])
      const hasAll = ends.result.nextCursor === null
      const last = hasAll ? ends.result.data.toReversed() : (await loadEnds('-endDate')).result.data
      return { ends: ends.result, last, hasAll, impediments: impediments.result }
    },
  )
  if (value === undefined) return undefined
  const { ends, last, hasAll, impediments } = value
  const ended = (end: string | undefined) => dayOf(end ?? '') < today()
  // If there are more rows, the counts are right only if the last row is not overdue.
  const isCut =
    impediments.nextCursor !== null || (ends.nextCursor !== null && ended(ends.data.at(-1)?.endDate))
  const endsByProject = Map.groupBy(ends.data, ({ projectId }) => projectId)
  const lastByProject = Map.groupBy(last, ({ projectId }) => projectId)
  const blockedByProject = Map.groupBy(impediments.data, ({ assignment }) => assignment?.projectId)
  return (projectId: string) => {
    if (isCut) return undefined
    const doneStageIds = doneStagesOf(projectId, stages)
    const isOpen = (row: { readonly workflowId?: string } | null | undefined) =>
      !doneStageIds.has(row?.workflowId ?? '')
    const open = (endsByProject.get(projectId) ?? []).filter(isOpen)
    const blocked = (blockedByProject.get(projectId) ?? []).filter(({ assignment }) => isOpen(assignment))
    const dayIn = (row: { readonly endDate?: string } | undefined) => row?.endDate && dayOf(row.endDate)
    return {
      overdue: open.filter(({ endDate }) => ended(endDate)).length,
      blocked: new Set(blocked.map(({ assignmentId }) => assignmentId)).size,
      nextEnd: dayIn(open.find(({ endDate }) => !ended(endDate))),
      lastEnd: dayIn(lastByProject.get(projectId)?.find(isOpen)),
      isUndated: hasAll && open.length === 0,
    }
  }
}
