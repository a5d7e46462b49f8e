import type { Api, RecordOf } from '../../api/api.ts'
import { type ById, byId, loadAll, loadByIds } from '../../api/load-all.ts'
import { doneStageOf } from '../../assignment/done-stage.ts'
import { addDays, dayOf, today } from '../../time/days.ts'
import { daysInWeek, mondayOf } from '../../time/weeks.ts'

type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

export interface MyWork {
  readonly groups: ReadonlyMap<Group, readonly Assignment[]>
  readonly stages: readonly Stage[]
  readonly projects: ById<{ readonly name: string }>
  /** What keeps an assignment from going on, since when. */
  readonly blockedSince: ReadonlyMap<string, string>
  readonly isCut: boolean
}

/** In the order of the screen. */
export const groups = ['blocked', 'overdue', 'today', 'week', 'next', 'later'] as const
export type Group = (typeof groups)[number]

/** 100 of each stage: more would not be useful to look at. */
const once = { pagesMax: 1 }
const impedimentPagesMax = 5

/** What somebody has to do: responsible for it or working on it, begun or due within a week, and not done. */
export async function loadMyWork(api: Api, userId: string, signal: AbortSignal): Promise<MyWork> {
  const dateTo = addDays(mondayOf(today()), 2 * daysInWeek)
  const { rows: stages } = await loadAll(api, 'workflow', { sortColumn: 'order' }, { ...once, signal })
  const links = await loadAll(
    api,
    'userAssignment',
    { userId, sortColumn: 'createdAt', sortOrder: 'DESC' },
    { ...once, signal },
  )
  const usuallyDone = doneStageOf('', stages)
  const own: Awaited<ReturnType<typeof loadAll<'assignment'>>>[] = []
  // One after the other: a board in the next tab needs connections too.
  for (const { id: workflowId } of stages.filter(({ id }) => id !== usuallyDone))
    own.push(
      await loadAll(
        api,
        'assignment',
        { userId, workflowId, dateTo, sortColumn: 'endDate' },
        { ...once, signal },
      ),
    )
  const linkedIds = links.rows.map(({ assignmentId }) => assignmentId)
  const linked = await loadByIds(api, 'assignment', linkedIds, signal)
  const all = [...byId([...own.flatMap(({ rows }) => rows), ...linked.values()]).values()]
  const open = all.filter(
    (row) => row.workflowId !== doneStageOf(row.projectId, stages) && dayOf(row.startDate) < dateTo,
  )
  const projectIds = open.map(({ projectId }) => projectId)
  const projects = await loadByIds(api, 'project', projectIds, signal)
  const impediments = await loadAll(
    api,
    'assignmentImpediment',
    { sortColumn: 'createdAt', sortOrder: 'DESC' },
    { pagesMax: impedimentPagesMax, signal },
  )
  const blockedSince = new Map(
    impediments.rows.map(({ assignmentId, createdAt }) => [assignmentId, createdAt]),
  )
  return {
    groups: Map.groupBy(
      open.toSorted((a, b) => a.endDate.localeCompare(b.endDate)),
      (row) => (blockedSince.has(row.id) ? 'blocked' : groupOf(dayOf(row.endDate))),
    ),
    stages,
    projects,
    blockedSince,
    isCut: own.some(({ isCut }) => isCut),
  }
}

export function groupOf(endDay: string, now = today()): Group {
  if (endDay < now) return 'overdue'
  if (endDay === now) return 'today'
  const monday = mondayOf(now)
  if (endDay < addDays(monday, daysInWeek)) return 'week'
  return endDay < addDays(monday, 2 * daysInWeek) ? 'next' : 'later'
}
