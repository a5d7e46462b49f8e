import { useMemo, useRef } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { type ById, loadByIds, rowsMax } from '../api/load-all.ts'
import { useServices } from '../services/services.ts'
import { dayOf } from '../time/days.ts'
import { useLoaded } from './use-loaded.ts'
import { useProjectLinks } from './use-project-links.ts'

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

type Link = Pick<RecordOf<'assignmentDependency'>, 'assignmentId' | 'blockedById'>

/** Groups blocking assignments by the one that waits. Leaves out those that are done or not loaded. */
export function groupBlockers(
  links: readonly Link[],
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
 * Loads the assignments that an assignment waits for and those that wait for it. Without the extensions there
 * are none.
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
