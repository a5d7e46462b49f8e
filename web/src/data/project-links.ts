import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { readList } from '../api/last-seen.ts'
import { type ById, loadByIds, rowsMax } from '../api/load-all.ts'
import { type Services, useServices } from '../services/services.ts'
import { dayOf } from '../time/days.ts'
import { useAllRows, useListing } from './use-listing.ts'
import { useLoaded } from './use-loaded.ts'

type LinkName = 'assignmentLabel' | 'assignmentDependency'
type Link<Name extends LinkName> = RecordOf<Name>

/** At most the 10,000 newest links of a project are loaded. */
const linkPagesMax = 100
/** Browsers have six connections to a host. Live listings need four of them. */
const parallelMax = 2

const queryOf = (projectId: string) =>
  ({ projectId, sortColumn: 'createdAt', sortOrder: 'DESC', pageSize: rowsMax }) as const

/**
 * Returns the links from the assignments of a project to labels or other assignments, the newest first.
 * `onlyNewest` loads one page, for a view that is not shown yet, because all pages would delay its rows.
 */
export function useProjectLinks<Name extends LinkName>(
  name: Name,
  projectId: string | undefined,
  onlyNewest = false,
) {
  const services = useServices()
  const first = useListing<LinkName>(name, projectId === undefined ? undefined : queryOf(projectId))
  const firstRows = first.rows as readonly Link<Name>[]
  const [known, setKnown] = useState<{ projectId?: string; rows: readonly Link<Name>[] }>({ rows: [] })
  const isKnown = known.projectId === projectId
  const isCurrent = projectId !== undefined && !first.isLoading && !first.isStale
  useEffect(() => {
    if (!isCurrent) return
    const merged = mergeLinks(firstRows, isKnown ? known.rows : [])
    setKnown({ projectId, rows: merged })
    if (onlyNewest || merged.length === Math.min(first.totalCount, linkPagesMax * rowsMax)) return
    const controller = new AbortController()
    // An error is ignored. After an outage, the first page is requested again, and then the others.
    loadOthers(services, name, projectId, first.totalCount, controller.signal).then(
      (others) =>
        controller.signal.aborted || setKnown({ projectId, rows: uniqueById([...firstRows, ...others]) }),
      () => undefined,
    )
    return () => controller.abort()
  }, [services, name, projectId, isCurrent, firstRows, first.totalCount, onlyNewest])
  return { rows: isCurrent && isKnown ? known.rows : noLinks, isLoading: !isKnown }
}

interface LinkRow {
  readonly id: string
  readonly createdAt: string
}

/**
 * Merges the page of the newest links into known links. A known link that is newer than the oldest link of
 * the page, but not on the page, was removed.
 */
export function mergeLinks<Row extends LinkRow>(page: readonly Row[], known: readonly Row[]): readonly Row[] {
  const oldest = page.at(-1)
  if (oldest === undefined || page.length < rowsMax) return page
  const end = Date.parse(oldest.createdAt)
  return uniqueById([...page, ...known.filter(({ createdAt }) => Date.parse(createdAt) < end)])
}

async function loadOthers<Name extends LinkName>(
  services: Pick<Services, 'api' | 'lastSeen'>,
  name: Name,
  projectId: string,
  totalCount: number,
  signal: AbortSignal,
) {
  const pages = Math.min(Math.ceil(totalCount / rowsMax), linkPagesMax)
  const numbers = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2)
  const rows: Link<Name>[] = []
  const loadNext = async () => {
    for (let pageNumber = numbers.shift(); pageNumber !== undefined; pageNumber = numbers.shift()) {
      const page = await readList<LinkName>(services, name, { ...queryOf(projectId), pageNumber }, signal)
      rows.push(...(page.data as readonly Link<Name>[]))
    }
  }
  await Promise.all(Array.from({ length: parallelMax }, loadNext))
  return rows
}

const noLinks: readonly never[] = []

const uniqueById = <Row extends LinkRow>(rows: readonly Row[]): readonly Row[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]

export type Label = RecordOf<'label'>

/** The labels of each assignment, sorted by name. */
export type LabelsByAssignment = ReadonlyMap<string, readonly Label[]>

/**
 * Returns the labels on all assignments of a project. Without a project or without the extensions there are
 * none.
 */
export function useProjectLabels(projectId: string | undefined, onlyNewest = false) {
  const { configuration } = useServices()
  const scope = configuration.extensions ? projectId : undefined
  const labels = useAllRows('label', scope === undefined ? undefined : labelQuery(scope))
  const links = useProjectLinks('assignmentLabel', scope, onlyNewest)
  const byAssignment = useMemo(() => groupLabels(labels.rows, links.rows), [labels.rows, links.rows])
  return {
    labels: labels.rows,
    byAssignment,
    isLoading: scope !== undefined && (labels.isLoading || links.isLoading),
  }
}

/** All parts of a screen use the same query, so that they share a request. */
export const labelQuery = (projectId: string) => ({ projectId, sortColumn: 'name' }) as const

/** Groups labels by assignment, in the order of `labels`. */
export function groupLabels(
  labels: readonly Label[],
  links: readonly Pick<Link<'assignmentLabel'>, 'assignmentId' | 'labelId'>[],
): LabelsByAssignment {
  const positions = new Map(labels.map(({ id }, index) => [id, index]))
  return new Map(
    [...Map.groupBy(links, ({ assignmentId }) => assignmentId)].map(([id, group]) => [
      id,
      group
        .flatMap(({ labelId }) => positions.get(labelId) ?? [])
        .sort((a, b) => a - b)
        .flatMap((position) => labels[position] ?? []),
    ]),
  )
}

type Assignment = RecordOf<'assignment'>

/** The assignments that are not done, by the id of the assignment that waits for them. */
export type Blockers = ReadonlyMap<string, readonly Assignment[]>

/** At most 1,000 blocking assignments are loaded. Others are left out. */
const blockersMax = 10 * rowsMax

/**
 * Returns which assignments of a project wait for others. Without a project or without the extensions there
 * are none.
 */
export function useProjectDependencies(
  projectId: string | undefined,
  doneStageIds: ReadonlySet<string>,
  onlyNewest = false,
) {
  const { api, configuration } = useServices()
  const scope = configuration.extensions ? projectId : undefined
  const links = useProjectLinks('assignmentDependency', scope, onlyNewest)
  const ids = useMemo(
    () => [...new Set(links.rows.map(({ blockedById }) => blockedById))].slice(0, blockersMax).sort(),
    [links.rows],
  )
  const loaded = useLoaded(
    ids.join(),
    ['assignment'],
    (signal) => loadByIds(api, 'assignment', ids, signal),
    { cacheName: 'blockers' },
  )
  const blockers = useMemo(
    () => groupBlockers(links.rows, loaded.value ?? noAssignments, doneStageIds),
    [links.rows, loaded.value, doneStageIds],
  )
  // Rows that are shown stay visible while the assignments of a new dependency are loaded.
  const readyId = useRef<string>(undefined)
  const isReady = loaded.problem !== undefined || (loaded.value !== undefined && !loaded.isStale)
  if (!links.isLoading && isReady) readyId.current = scope
  return { blockers, isLoading: readyId.current !== scope }
}

const noAssignments: ById<Assignment> = new Map()

type Dependency = Pick<Link<'assignmentDependency'>, 'assignmentId' | 'blockedById'>

/**
 * Groups blocking assignments by the assignment that waits. Omits assignments that are done or not loaded.
 */
export function groupBlockers(
  links: readonly Dependency[],
  assignments: ById<Assignment>,
  doneStageIds: ReadonlySet<string>,
): Blockers {
  const open = links.flatMap(({ assignmentId, blockedById }) => {
    const blocker = assignments.get(blockedById)
    return blocker === undefined || doneStageIds.has(blocker.workflowId) ? [] : [{ assignmentId, blocker }]
  })
  return new Map(
    [...Map.groupBy(open, ({ assignmentId }) => assignmentId)].map(([id, group]) => [
      id,
      group.map(({ blocker }) => blocker).sort((a, b) => (a.endDate < b.endDate ? -1 : 1)),
    ]),
  )
}

type Dates = Pick<Assignment, 'startDate' | 'endDate' | 'isUnscheduled'>

/** Returns whether an assignment starts before the last day of an assignment that it waits for. */
export const startsTooEarly = (waiting: Dates, blocker: Dates): boolean =>
  !waiting.isUnscheduled && !blocker.isUnscheduled && dayOf(waiting.startDate) < dayOf(blocker.endDate)

/** A dependency, and the assignment at its other end. */
export interface Neighbour {
  readonly linkId: string
  readonly other: Assignment
}

interface Dependencies {
  readonly waitsFor: readonly Neighbour[]
  readonly blocks: readonly Neighbour[]
  /** True if there are more dependencies than were loaded. */
  readonly isCut: boolean
}

export const noDependencies: Dependencies = { waitsFor: [], blocks: [], isCut: false }

/**
 * Loads the assignments that an assignment waits for, and the assignments that wait for it. Without the
 * extensions there are none.
 */
export function useDependencies(assignmentId: string) {
  const { api, configuration } = useServices()
  return useLoaded<Dependencies>(
    `dependencies ${assignmentId}`,
    ['assignmentDependency', 'assignment'],
    async (signal) => {
      if (!configuration.extensions) return noDependencies
      const query = { pageSize: rowsMax, sortColumn: 'createdAt' } as const
      const pages = await Promise.all([
        api.list('assignmentDependency', { ...query, assignmentId }, signal),
        api.list('assignmentDependency', { ...query, blockedById: assignmentId }, signal),
      ])
      const [waits, blocks] = pages
      const ids = [
        ...waits.data.map((link) => link.blockedById),
        ...blocks.data.map((link) => link.assignmentId),
      ]
      const others = await loadByIds(api, 'assignment', ids, signal)
      const withOther = (linkId: string, otherId: string): Neighbour[] => {
        const other = others.get(otherId)
        return other === undefined ? [] : [{ linkId, other }]
      }
      return {
        waitsFor: waits.data.flatMap((link) => withOther(link.id, link.blockedById)),
        blocks: blocks.data.flatMap((link) => withOther(link.id, link.assignmentId)),
        isCut: pages.some(({ totalPages }) => totalPages > 1),
      }
    },
    { cacheName: 'dependencies' },
  )
}

type Part = Pick<RecordOf<'assignment'>, 'id' | 'parentId' | 'workflowId'>

/** The number of parts of an assignment, and how many of them are done. */
export interface PartCount {
  readonly done: number
  readonly count: number
}

export type PartCounts = ReadonlyMap<string, PartCount>

/** Pages of 100 rows: at most 2,000 parts of a project are counted. */
const partPagesMax = 20

/**
 * Counts the parts of each assignment of a project. All parts are loaded once the view has its `totalCount`,
 * and again when it changes or this tab writes an assignment. The live rows of the view replace loaded rows.
 * Without the extensions, there are no parts.
 */
export function useProjectParts(
  projectId: string,
  rows: readonly Part[],
  totalCount: number | undefined,
  doneStageIds: ReadonlySet<string>,
): PartCounts {
  const { configuration, tracker } = useServices()
  const isNeeded = configuration.extensions && totalCount !== undefined
  const loaded = useLoaded(
    `${projectId} ${isNeeded && totalCount}`,
    ['assignment'],
    async (signal) => {
      const parts: Part[] = []
      if (!isNeeded) return parts
      const filter = `projectId eq '${projectId}' and parentId ne null`
      let cursor: string | undefined
      for (let page = 1; page <= partPagesMax; page += 1) {
        const query = {
          filter,
          fields: 'id,parentId,workflowId',
          pageSize: rowsMax,
          ...(cursor && { cursor }),
        }
        const { result } = await tracker.call('GET /ext/query/assignments', { query }, { signal })
        parts.push(...(result.data as readonly Part[]))
        if (result.nextCursor === null) break
        cursor = result.nextCursor
      }
      return parts
    },
    { cacheName: 'parts' },
  )
  return useMemo(
    () => countParts([...(loaded.value ?? []), ...rows], doneStageIds),
    [loaded.value, rows, doneStageIds],
  )
}

/** Counts the parts by parent. A later row replaces an earlier row with the same id. */
function countParts(rows: readonly Part[], doneStageIds: ReadonlySet<string>): PartCounts {
  const counts = new Map<string, PartCount>()
  for (const { parentId, workflowId } of new Map(rows.map((row) => [row.id, row])).values()) {
    if (!parentId) continue
    const { done, count } = counts.get(parentId) ?? { done: 0, count: 0 }
    counts.set(parentId, { done: done + Number(doneStageIds.has(workflowId)), count: count + 1 })
  }
  return counts
}

/** Maps each blocked assignment to the start of its oldest impediment. */
export const impedimentStarts = (
  links: readonly Pick<RecordOf<'assignmentImpediment'>, 'assignmentId' | 'createdAt'>[],
): ReadonlyMap<string, string> =>
  new Map(
    // The oldest impediment of an assignment is the last one, and replaces the others.
    links
      .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .map(({ assignmentId, createdAt }) => [assignmentId, createdAt]),
  )
