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

/** The pages of 2,000 parts of a project. Further parts are not counted. */
const pagesMax = 20

/**
 * Counts the parts of each assignment of a project. Rows that the view has loaded are counted as they are
 * now; the other parts are loaded again when `totalCount` changes, which is undefined until the view is
 * loaded. Without the extensions there are none.
 */
export function useProjectParts(
  projectId: string,
  rows: readonly Part[],
  totalCount: number | undefined,
  doneIds: ReadonlySet<string>,
): PartCounts {
  const { configuration, tracker } = useServices()
  const isNeeded = configuration.extensions && totalCount !== undefined
  const loaded = useLoaded(
    `${projectId} ${isNeeded && totalCount}`,
    ['assignment'],
    async (signal) => {
      const parts: Part[] = []
      const filter = `projectId eq '${projectId}' and parentId ne null`
      let cursor: string | undefined
      for (let page = 1; isNeeded && page <= pagesMax; page += 1) {
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
  return useMemo(() => countParts([...(loaded.value ?? []), ...rows], doneIds), [loaded.value, rows, doneIds])
}

/** Later rows replace earlier ones. */
function countParts(rows: readonly Part[], doneIds: ReadonlySet<string>): PartCounts {
  const counts = new Map<string, PartCount>()
  for (const { parentId, workflowId } of new Map(rows.map((row) => [row.id, row])).values()) {
    if (!parentId) continue
    const { done, count } = counts.get(parentId) ?? { done: 0, count: 0 }
    counts.set(parentId, { done: done + Number(doneIds.has(workflowId)), count: count + 1 })
  }
  return counts
}
