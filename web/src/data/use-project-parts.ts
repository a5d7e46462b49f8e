import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { rowsMax } from '../api/load-all.ts'
import { useServices } from '../services/services.ts'
import { useLoaded } from './use-loaded.ts'

type Part = Pick<RecordOf<'assignment'>, 'id' | 'parentId' | 'workflowId'>

/** The number of parts of an assignment, and how many of them are done. */
export interface PartCount {
  readonly done: number
  readonly count: number
}

export type PartCounts = ReadonlyMap<string, PartCount>

/** Pages of 100 rows: at most 2,000 parts of a project are counted. */
const pagesMax = 20

/**
 * Counts the parts of each assignment of a project. Loads all parts once the view has its `totalCount`, and
 * again when that changes or this tab writes an assignment. The rows of the view replace loaded ones, because
 * they are live. Without the extensions, assignments have no parts.
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
      for (let page = 1; page <= pagesMax; page += 1) {
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

/** Counts the parts by parent. Later rows replace earlier ones with the same id. */
function countParts(rows: readonly Part[], doneStageIds: ReadonlySet<string>): PartCounts {
  const counts = new Map<string, PartCount>()
  for (const { parentId, workflowId } of new Map(rows.map((row) => [row.id, row])).values()) {
    if (!parentId) continue
    const { done, count } = counts.get(parentId) ?? { done: 0, count: 0 }
    counts.set(parentId, { done: done + Number(doneStageIds.has(workflowId)), count: count + 1 })
  }
  return counts
}
