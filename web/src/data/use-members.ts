import { useEffect, useMemo, useState } from 'preact/hooks'
import { loadAll, rowsMax } from '../api/load-all.ts'
import { useServices } from '../services/services.ts'
import { useListing } from './use-listing.ts'
import { useLoaded } from './use-loaded.ts'

/**
 * Returns each member of a project once, because a person may have two memberships. Most screens need only
 * the first page of memberships.
 */
export function useMembers(projectId: string | undefined) {
  const listing = useListing(
    'userProject',
    projectId === undefined ? undefined : { projectId, sortColumn: 'createdAt', pageSize: 100 },
  )
  const memberships = useMemo(() => Map.groupBy(listing.rows, ({ userId }) => userId), [listing.rows])
  const ids = useMemo(() => [...memberships.keys()], [memberships])
  return { ...listing, ids, memberships }
}

/** More than any project needs. If there are more, the dialog says that it does not list all. */
const memberPagesMax = 10

/** Returns all memberships of a project by person, sorted by name as far as names are known. */
export function useAllMembers(projectId: string | undefined) {
  const { api, people } = useServices()
  const first = useMembers(projectId)
  const isOnePage = first.totalCount <= rowsMax
  const all = useLoaded(`members ${projectId} ${isOnePage}`, ['userProject'], async (signal) => {
    if (isOnePage || projectId === undefined) return undefined
    const query = { projectId, sortColumn: 'createdAt' } as const
    return loadAll(api, 'userProject', query, { pagesMax: memberPagesMax, signal })
  })
  const { rows, isCut = false } = (!all.isStale && all.value) || {}
  const memberships = rows === undefined ? first.memberships : Map.groupBy(rows, ({ userId }) => userId)
  const ids = [...memberships.keys()].sort((a, b) => people.nameOf(a).localeCompare(people.nameOf(b)))
  const reload = () => {
    first.reload()
    all.reload()
  }
  const problem = first.problem ?? all.problem
  const isLoading = first.isLoading || !(isOnePage || rows || problem)
  return { ...first, ids, memberships, isCut, isLoading, problem, reload }
}

/**
 * Returns whether the names of these people are known or unavailable. Names that a later change adds are not
 * awaited.
 */
export function useNamesLoaded(ids: readonly string[], isComplete: boolean): boolean {
  const { people } = useServices()
  const [areLoaded, setLoaded] = useState(false)
  useEffect(() => {
    if (isComplete) void people.waitForNames(ids).then(() => setLoaded(true))
  }, [isComplete, ids.length])
  return isComplete && (areLoaded || ids.every((id) => people.findName(id) !== undefined))
}
