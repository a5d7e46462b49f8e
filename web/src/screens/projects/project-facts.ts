import type { RecordOf } from '../../api/api.ts'
import { rowsMax } from '../../api/load-all.ts'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { guessDoneStages } from '../../data/project-stages.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { dayOf, today } from '../../time/days.ts'

/** The facts about a project in the list of projects. */
export interface ProjectFacts {
  /** Undefined if the report has too many groups. */
  readonly work?: {
    readonly open: number
    readonly total: number
    readonly plannedHours: number
    readonly recordedHours: number
  }
  /** Undefined if there are too many overdue or blocked assignments in all projects to count them by project. */
  readonly attention?: { readonly overdue: number; readonly blocked: number; readonly nextEnd?: string }
}

/**
 * Loads the facts about all projects with two reports and two queries, however many projects there are. Returns
 * a function that returns the facts about a project, or undefined while they are loading and without the
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
    const [assignments, hours] = await Promise.all([
      tracker.call('GET /ext/reports/assignments', { query: { groupBy: 'project,workflow' } }, { signal }),
      tracker.call('GET /ext/reports/hours', { query: { groupBy: 'project' } }, { signal }),
    ])
    return { assignments: assignments.result, hours: hours.result.groups }
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
    return {
      open: sumOf(open, 'assignments'),
      total: sumOf(ofProject, 'assignments'),
      plannedHours: sumOf(ofProject, 'plannedHours'),
      recordedHours: recorded.get(projectId) ?? 0,
    }
  }
}

/** Loads the open assignments that end first, and those that are blocked: one page of each. */
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
        sort: 'endDate',
        fields: 'projectId,workflowId,endDate',
        pageSize: rowsMax,
      }
      const blocked = {
        expand: 'assignment',
        fields: 'assignmentId,assignment.projectId,assignment.workflowId',
        pageSize: rowsMax,
      }
      const [ends, impediments] = await Promise.all([
        tracker.call('GET /ext/query/assignments', { query: dated }, { signal }),
        tracker.call('GET /ext/query/assignmentImpediments', { query: blocked }, { signal }),
      ])
      return { ends: ends.result, impediments: impediments.result }
    },
  )
  if (value === undefined) return undefined
  const { ends, impediments } = value
  const ended = (end: string | undefined) => dayOf(end ?? '') < today()
  // If there are more rows, the counts are right only if the last row is not overdue.
  const isCut =
    impediments.nextCursor !== null || (ends.nextCursor !== null && ended(ends.data.at(-1)?.endDate))
  const endsByProject = Map.groupBy(ends.data, ({ projectId }) => projectId)
  const blockedByProject = Map.groupBy(impediments.data, ({ assignment }) => assignment?.projectId)
  return (projectId: string) => {
    if (isCut) return undefined
    const doneStageIds = doneStagesOf(projectId, stages)
    const isOpen = (row: { readonly workflowId?: string } | null | undefined) =>
      !doneStageIds.has(row?.workflowId ?? '')
    const open = (endsByProject.get(projectId) ?? []).filter(isOpen)
    const blocked = (blockedByProject.get(projectId) ?? []).filter(({ assignment }) => isOpen(assignment))
    const next = open.find(({ endDate }) => !ended(endDate))?.endDate
    return {
      overdue: open.filter(({ endDate }) => ended(endDate)).length,
      blocked: new Set(blocked.map(({ assignmentId }) => assignmentId)).size,
      ...(next && { nextEnd: dayOf(next) }),
    }
  }
}
