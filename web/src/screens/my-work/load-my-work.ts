import { filter, limits } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { type AllLoaded, type ById, byId, loadAll, loadByIds, rowsMax } from '../../api/load-all.ts'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import {
  type Blockers,
  groupBlockers,
  groupLabels,
  impedimentStarts,
  type LabelsByAssignment,
} from '../../data/project-links.ts'
import type { Services } from '../../services/services.ts'
import { addDays, dayOf, daysInWeek, mondayOf, today } from '../../time/days.ts'
import { sumHours } from '../../time/hours.ts'

export type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

export interface MyWork {
  /** The open assignments. The first to end comes first, and those without dates come last. */
  readonly rows: readonly Assignment[]
  readonly stages: readonly Stage[]
  readonly projects: ById<RecordOf<'project'>>
  /** Maps each blocked assignment to the start of its oldest impediment. */
  readonly blockedSince: ReadonlyMap<string, string>
  readonly labels: LabelsByAssignment
  readonly blockers: Blockers
  readonly isCut: boolean
  /** The hours recorded today. */
  readonly todayHours: number
}

/** Only 100 rows are loaded of most lists. If a stage has more assignments, the screen says so. */
const firstPage = { pagesMax: 1 }
const impedimentPagesMax = 5

/**
 * Loads the open assignments that the user is responsible for or works on, and that begin before the end of
 * next week or have no dates. At most two requests are sent at a time, because other tabs need connections,
 * too.
 */
export async function loadMyWork(services: Services, userId: string, signal: AbortSignal): Promise<MyWork> {
  const { api } = services
  const [{ rows: stages }, links] = await Promise.all([
    loadAll(api, 'workflow', { sortColumn: 'order' }, { ...firstPage, signal }),
    loadAll(
      api,
      'userAssignment',
      { userId, sortColumn: 'createdAt', sortOrder: 'DESC' },
      { ...firstPage, signal },
    ),
  ])
  const isOpen = ({ projectId, workflowId }: Assignment) => !doneStagesOf(projectId, stages).has(workflowId)
  const dateTo = addDays(mondayOf(today()), 2 * daysInWeek)
  const linkedIds = links.rows.map(({ assignmentId }) => assignmentId)
  const loadOthers = async () => [
    ...(await loadUnscheduled(services, userId, signal)),
    ...(await loadByIds(api, 'assignment', linkedIds, signal)).values(),
  ]
  const [pages, others] = await Promise.all([
    loadScheduled(services, userId, stages, dateTo, signal),
    loadOthers(),
  ])
  const found = [...pages.flatMap(({ rows }) => rows), ...others]
  const rows = [...byId(found).values()]
    .filter((row) => isOpen(row) && (row.isUnscheduled || dayOf(row.startDate) < dateTo))
    .toSorted(
      (a, b) => Number(a.isUnscheduled) - Number(b.isUnscheduled) || a.endDate.localeCompare(b.endDate),
    )
  const ids = rows.map(({ id }) => id)
  const loadRecords = async () => {
    const projects = await loadByIds(api, 'project', new Set(rows.map(({ projectId }) => projectId)), signal)
    const impediments = await loadAll(
      api,
      'assignmentImpediment',
      { sortColumn: 'createdAt', sortOrder: 'DESC' },
      { pagesMax: impedimentPagesMax, signal },
    )
    const ofToday = { userId, dateFrom: today(), dateTo: addDays(today(), 1) }
    const entries = await loadAll(api, 'appointment', ofToday, { ...firstPage, signal })
    return {
      projects,
      blockedSince: impedimentStarts(impediments.rows),
      todayHours: sumHours(entries.rows),
    }
  }
  const loadMarks = async () => ({
    labels: await loadLabels(services, ids, signal),
    blockers: await loadBlockers(services, ids, isOpen, signal),
  })
  const [records, marks] = await Promise.all([loadRecords(), loadMarks()])
  return { rows, stages, ...records, ...marks, isCut: pages.some(({ isCut }) => isCut) }
}

/** Loads the assignments with dates of each stage that is not done by default, one stage after the other. */
async function loadScheduled(
  { api }: Services,
  userId: string,
  stages: readonly Stage[],
  dateTo: string,
  signal: AbortSignal,
): Promise<readonly AllLoaded<Assignment>[]> {
  const doneIds = doneStagesOf('', stages)
  const pages: AllLoaded<Assignment>[] = []
  for (const { id: workflowId } of stages.filter(({ id }) => !doneIds.has(id))) {
    const query = { userId, workflowId, dateTo, sortColumn: 'endDate' } as const
    pages.push(await loadAll(api, 'assignment', query, { ...firstPage, signal }))
  }
  return pages
}

/** Loads the assignments without dates. Lists of a period do not contain them. */
async function loadUnscheduled(
  { configuration, tracker }: Services,
  userId: string,
  signal: AbortSignal,
): Promise<readonly Assignment[]> {
  if (!configuration.extensions) return []
  const query = {
    filter: `userId eq '${userId}' and isUnscheduled eq true and isUnassigned eq false`,
    sort: '-createdAt',
    pageSize: rowsMax,
  }
  const { result } = await tracker.call('GET /ext/query/assignments', { query }, { signal })
  return result.data as readonly Assignment[]
}

/** Loads the labels on assignments of any project. */
async function loadLabels(
  { api, configuration, tracker }: Services,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<LabelsByAssignment> {
  if (!configuration.extensions) return new Map()
  const links = await loadInChunks(ids, (condition) =>
    tracker.assignmentLabels.rows({ filter: condition, fields: ['assignmentId', 'labelId'] }, { signal }),
  )
  const labelIds = links.map(({ labelId }) => labelId)
  const labels = await loadByIds(api, 'label', labelIds, signal)
  return groupLabels(
    [...labels.values()].toSorted((a, b) => a.name.localeCompare(b.name)),
    links,
  )
}

/** Loads the open assignments that other assignments wait for. */
async function loadBlockers(
  { api, configuration, tracker }: Services,
  ids: readonly string[],
  isOpen: (row: Assignment) => boolean,
  signal: AbortSignal,
): Promise<Blockers> {
  if (!configuration.extensions) return new Map()
  const links = await loadInChunks(ids, (condition) =>
    tracker.assignmentDependencies.rows(
      { filter: condition, fields: ['assignmentId', 'blockedById'] },
      { signal },
    ),
  )
  const blockingIds = links.map(({ blockedById }) => blockedById)
  const blocking = await loadByIds(api, 'assignment', blockingIds, signal)
  return groupBlockers(links, byId([...blocking.values()].filter(isOpen)), new Set())
}

/** A filter has room for so many ids: each is in quotes, followed by a comma and a space. */
const filterIdsMax = Math.floor((limits.filter - filter`assignmentId in ${['']}`.length) / 40)

/** Loads links of assignments. Each request has as many ids as a filter may have. */
async function loadInChunks<Link>(
  ids: readonly string[],
  load: (condition: string) => AsyncIterable<Link>,
): Promise<readonly Link[]> {
  const links: Link[] = []
  for (let start = 0; start < ids.length; start += filterIdsMax) {
    const chunk = ids.slice(start, start + filterIdsMax)
    for await (const link of load(filter`assignmentId in ${chunk}`)) links.push(link)
  }
  return links
}
