import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { rowsMax } from '../api/load-all.ts'
import { useServices } from '../services/services.ts'
import { useLoaded } from './use-loaded.ts'

type Part = Pick<RecordOf<'assignment'>, 'id' | 'parentId' | 'workflowId'>

/** How many parts an assignment has, and how many of them are done. */
export interface PartCount {
  readonly done: number
  readonly count: number
}

export type PartCounts = ReadonlyMap<string, PartCount>

/** 2,000 parts of one project. Those beyond are not counted. */
const pagesMax = 20

/**
 * Counts the parts of each assignment of a project with one request for all, and follows the rows that the
 * view has loaded. Parts that are not loaded are counted again when the number of assignments changes; it is
 * undefined until the view is loaded. Without the extensions there are none.
 */
export function useProjectParts(
  projectId: string,
  rows: readonly Part[],
  totalCount: number | undefined,
  doneIds: ReadonlySet<string>,
): PartCounts {
  const { configuration, tracker } = useServices()
  const isWanted = configuration.extensions && totalCount !== undefined
  const loaded = useLoaded(
    `${projectId} ${isWanted && totalCount}`,
    ['assignment'],
    async (signal) => {
      const parts: Part[] = []
      const filter = `projectId eq '${projectId}' and parentId ne null`
      let cursor: string | undefined
      for (let page = 1; isWanted && page <= pagesMax; page += 1) {
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
    { keep: 'parts' },
  )
  return useMemo(() => countParts([...(loaded.value ?? []), ...rows], doneIds), [loaded.value, rows, doneIds])
}

/** Later rows replace earlier ones. */
export function countParts(rows: readonly Part[], doneIds: ReadonlySet<string>): PartCounts {
  const counts = new Map<string, PartCount>()
  for (const { parentId, workflowId } of new Map(rows.map((row) => [row.id, row])).values()) {
    if (!parentId) continue
    const { done, count } = counts.get(parentId) ?? { done: 0, count: 0 }
    counts.set(parentId, { done: done + Number(doneIds.has(workflowId)), count: count + 1 })
  }
  return counts
}
