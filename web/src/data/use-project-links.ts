import { useEffect, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { readList } from '../api/last-seen.ts'
import { rowsMax } from '../api/load-all.ts'
import { type Services, useServices } from '../services/services.ts'
import { useListing } from './use-listing.ts'

type LinkName = 'assignmentLabel' | 'assignmentDependency'
type Link<Name extends LinkName> = RecordOf<Name>

/** At most this many pages are loaded: the 10,000 newest links of a project. Older ones are not shown. */
const pagesMax = 100
/** Browsers have six connections to a host, and live listings need four of them. */
const parallelMax = 2

const queryOf = (projectId: string) =>
  ({ projectId, sortColumn: 'createdAt', sortOrder: 'DESC', pageSize: rowsMax }) as const

/**
 * Returns the links from the assignments of a project to labels or other assignments, the newest first.
 * Without a project there are none. `onlyNewest` loads one page, for a view that is not shown yet, because
 * all pages together would delay its rows.
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
    if (onlyNewest || merged.length === Math.min(first.totalCount, pagesMax * rowsMax)) return
    const controller = new AbortController()
    // The first page is requested again after an outage.
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
 * Merges the page of the newest links into known ones. The page contains every link that is newer than its
 * oldest one, so a newer known link that it lacks was removed.
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
  const pages = Math.min(Math.ceil(totalCount / rowsMax), pagesMax)
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
