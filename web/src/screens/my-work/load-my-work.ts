import { filter, limits } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { readList } from '../../api/last-seen.ts'
import { type AllLoaded, type ById, byId, chunksOf, loadAll, loadByIds, rowsMax } from '../../api/load-all.ts'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import {
  type Blockers,
  groupBlockers,
  groupLabels,
  impedimentStarts,
  type LabelsByAssignment,
} from '../../data/project-links.ts'
import { stagesQuery } from '../../data/project-stages.ts'
import type { Services } from '../../services/services.ts'
import { addDays, dayOf, today } from '../../time/days.ts'
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
  /** The first end of which assignments with dates may be missing. */
  readonly cutFrom: string | undefined
  /** True if there are more assignments without dates. */
  readonly isUnscheduledCut: boolean
  /** The hours recorded today. */
  readonly todayHours: number
}

/** Only 100 rows are loaded of most lists. */
const firstPage = { pagesMax: 1 }
const stagePagesMax = 5
/** The number of assignments with dates that are loaded of a stage. The screen says if there are more. */
export const stageRowsMax = stagePagesMax * rowsMax
const impedimentPagesMax = 5
/** Lists of a period have no assignments without dates. This period has all others. */
const endOfTime = '9999-12-31'

/**
 * Loads the open assignments that the user is responsible for or works on. Lists are loaded one after the
 * other, because other tabs need connections, too.
 */
export async function loadMyWork(services: Services, userId: string, signal: AbortSignal): Promise<MyWork> {
  const { api } = services
  const [{ data: stages }, links] = await Promise.all([
    readList(services, 'workflow', stagesQuery, signal),
    loadAll(
      api,
      'userAssignment',
      { userId, sortColumn: 'createdAt', sortOrder: 'DESC' },
      { ...firstPage, signal },
    ),
  ])
  const isOpen = ({ projectId, workflowId }: Assignment) => !doneStagesOf(projectId, stages).has(workflowId)
  const linkedIds = links.rows.map(({ assignmentId }) => assignmentId)
  const loadOthers = async () => ({
    unscheduled: await loadUnscheduled(services, userId, signal),
    linked: await loadByIds(api, 'assignment', linkedIds, signal),
  })
  const [scheduled, { unscheduled, linked }] = await Promise.all([
    loadScheduled(services, userId, stages, signal),
    loadOthers(),
  ])
  const found = [...scheduled.rows, ...unscheduled.rows, ...linked.values()]
  const rows = [...byId(found).values()]
    .filter(isOpen)
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
  const { cutFrom } = scheduled
  return { rows, stages, ...records, ...marks, cutFrom, isUnscheduledCut: unscheduled.isCut }
}

/**
 * Loads the assignments with dates of each stage that is not done by default, the first to end of each. If a
 * stage has more, those of high priority are added, so that none of them is missed.
 */
async function loadScheduled(
  services: Services,
  userId: string,
  stages: readonly Stage[],
  signal: AbortSignal,
): Promise<Pick<MyWork, 'rows' | 'cutFrom'>> {
  const doneIds = doneStagesOf('', stages)
  const lists: AllLoaded<Assignment>[] = []
  for (const { id: workflowId } of stages.filter(({ id }) => !doneIds.has(id))) {
    const query = { userId, workflowId, dateTo: endOfTime, sortColumn: 'endDate' } as const
    lists.push(await loadAll(services.api, 'assignment', query, { pagesMax: stagePagesMax, signal }))
  }
  const rows = lists.flatMap((list) => list.rows)
  const cutEnds = lists.flatMap(({ isCut, rows }) => (isCut ? dayOf(rows.at(-1)?.endDate ?? '') : []))
  const [cutFrom] = cutEnds.sort()
  if (cutFrom === undefined) return { rows, cutFrom }
  const important = await loadImportant(services, { userId, doneIds: [...doneIds] }, signal)
  return { rows: [...rows, ...important.rows], cutFrom }
}

const highPriority = 3

/** Loads the open assignments of high priority that end first. */
function loadImportant(
  services: Services,
  { userId, doneIds }: { readonly userId: string; readonly doneIds: readonly string[] },
  signal: AbortSignal,
): Promise<AllLoaded<Assignment>> {
  const isImportant = filter`userId eq ${userId} and priority ge ${highPriority} and isUnscheduled eq false and isUnassigned eq false`
  const isOpen = doneIds.length > 0 ? filter` and not workflowId in ${doneIds}` : ''
  return queryAssignments(services, { filter: `${isImportant}${isOpen}`, sort: 'endDate' }, signal)
}

/** Loads the assignments without dates. Lists of a period do not contain them. */
function loadUnscheduled(
  services: Services,
  userId: string,
  signal: AbortSignal,
): Promise<AllLoaded<Assignment>> {
  const isUnscheduled = filter`userId eq ${userId} and isUnscheduled eq true and isUnassigned eq false`
  return queryAssignments(services, { filter: isUnscheduled, sort: '-createdAt' }, signal)
}

/** Loads one page of a query, or nothing without the extensions. */
async function queryAssignments(
  { configuration, tracker }: Services,
  query: { readonly filter: string; readonly sort: string },
  signal: AbortSignal,
): Promise<AllLoaded<Assignment>> {
  if (!configuration.extensions) return { rows: [], isCut: false }
  const { result } = await tracker.call(
    'GET /ext/query/assignments',
    { query: { ...query, pageSize: rowsMax } },
    { signal },
  )
  return { rows: result.data as readonly Assignment[], isCut: result.nextCursor !== null }
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
  for (const chunk of chunksOf(ids, filterIdsMax))
    for await (const link of load(filter`assignmentId in ${chunk}`)) links.push(link)
  return links
}
