import { useEffect, useMemo, useState } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { useListing } from './use-listing.ts'

/** Returns each member of a project once, because a person may have two memberships. */
export function useMembers(projectId: string | undefined) {
  const listing = useListing(
    'userProject',
    projectId === undefined ? undefined : { projectId, sortColumn: 'createdAt', pageSize: 100 },
  )
  const memberships = useMemo(() => Map.groupBy(listing.rows, ({ userId }) => userId), [listing.rows])
  const ids = useMemo(() => [...memberships.keys()], [memberships])
  return { ids, memberships, isLoading: listing.isLoading, problem: listing.problem, reload: listing.reload }
}

/** Returns whether the names of these people are known or unavailable. Names that a later change adds are not awaited. */
export function useNamesLoaded(ids: readonly string[], isComplete: boolean): boolean {
  const { people } = useServices()
  const [areLoaded, setLoaded] = useState(false)
  useEffect(() => {
    if (isComplete) void people.waitForNames(ids).then(() => setLoaded(true))
  }, [isComplete, ids.length])
  return isComplete && (areLoaded || ids.every((id) => people.findName(id) !== undefined))
}
