import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Api, RecordOf } from '../api/api.ts'
import { rowsMax } from '../api/load-all.ts'
import { useServices } from '../services/services.ts'
import { useListing } from './use-listing.ts'
import { useAllRows } from './use-live.ts'

export type Label = RecordOf<'label'>
type Link = RecordOf<'assignmentLabel'>

/** The labels of each assignment, sorted by name. */
export type LabelsByAssignment = ReadonlyMap<string, readonly Label[]>

/** 10,000 labels on the assignments of one project. The oldest ones beyond are not shown. */
const pagesMax = 100
/** Browsers have six connections to a host, and live listings need four of them. */
const parallelMax = 2

/**
 * Follows the labels on all assignments of a project with two live listings, whatever the number of assignments. Without a project
 * or without the extensions there are none.
 */
export function useProjectLabels(projectId: string | undefined) {
  const { configuration } = useServices()
  const scope = configuration.extensions ? projectId : undefined
  const labels = useAllRows('label', scope === undefined ? undefined : labelQuery(scope), { live: true })
  const links = useLinks(scope)
  const byAssignment = useMemo(() => groupLabels(labels.rows, links.rows), [labels.rows, links.rows])
  return {
    labels: labels.rows,
    byAssignment,
    isLoading: scope !== undefined && (labels.isLoading || links.isLoading),
  }
}

/** The same for all parts of a screen, so that they share a request. */
export const labelQuery = (projectId: string) => ({ projectId, sortColumn: 'name' }) as const

const linkQuery = (projectId: string) =>
  ({ projectId, sortColumn: 'createdAt', sortOrder: 'DESC', pageSize: rowsMax }) as const

/** Returns every link, the newest first. A live listing reports the first page and the number of all. */
function useLinks(projectId: string | undefined) {
  const { api } = useServices()
  const first = useListing('assignmentLabel', projectId === undefined ? undefined : linkQuery(projectId), {
    live: true,
  })
  const [known, setKnown] = useState<{ projectId?: string; rows: readonly Link[] }>({ rows: [] })
  const isKnown = known.projectId === projectId
  const isCurrent = projectId !== undefined && !first.isLoading && !first.isStale
  useEffect(() => {
    if (!isCurrent) return
    const merged = mergeLinks(first.rows, isKnown ? known.rows : [])
    setKnown({ projectId, rows: merged })
    if (merged.length === Math.min(first.totalCount, pagesMax * rowsMax)) return
    const controller = new AbortController()
    // The live listing reports an outage; after it, the first page arrives again.
    loadOthers(api, projectId, first.totalCount, controller.signal).then(
      (others) =>
        controller.signal.aborted || setKnown({ projectId, rows: uniqueById([...first.rows, ...others]) }),
      () => undefined,
    )
    return () => controller.abort()
  }, [api, projectId, isCurrent, first.rows, first.totalCount])
  return { rows: isCurrent && isKnown ? known.rows : noLinks, isLoading: first.isLoading }
}

/** The page has all links that are newer than its oldest one; a known link that it lacks was removed. */
export function mergeLinks(page: readonly Link[], known: readonly Link[]): readonly Link[] {
  const oldest = page.at(-1)
  if (oldest === undefined || page.length < rowsMax) return page
  const end = Date.parse(oldest.createdAt)
  return uniqueById([...page, ...known.filter(({ createdAt }) => Date.parse(createdAt) < end)])
}

async function loadOthers(api: Api, projectId: string, totalCount: number, signal: AbortSignal) {
  const pages = Math.min(Math.ceil(totalCount / rowsMax), pagesMax)
  const numbers = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2)
  const rows: Link[] = []
  const loadNext = async () => {
    for (let pageNumber = numbers.shift(); pageNumber !== undefined; pageNumber = numbers.shift())
      rows.push(...(await api.list('assignmentLabel', { ...linkQuery(projectId), pageNumber }, signal)).data)
  }
  await Promise.all(Array.from({ length: parallelMax }, loadNext))
  return rows
}

const noLinks: readonly Link[] = []

const uniqueById = (rows: readonly Link[]): readonly Link[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]

/** Sorts by the order of the labels, and shares each list until one of its labels changes. */
export function groupLabels(labels: readonly Label[], links: readonly Link[]): LabelsByAssignment {
  const positions = new Map(labels.map(({ id }, index) => [id, index]))
  return new Map(
    [...Map.groupBy(links, ({ assignmentId }) => assignmentId)].map(([id, some]) => [
      id,
      some
        .flatMap(({ labelId }) => positions.get(labelId) ?? [])
        .sort((a, b) => a - b)
        .flatMap((position) => labels[position] ?? []),
    ]),
  )
}
