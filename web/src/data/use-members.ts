import { useEffect, useMemo, useState } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { useListing } from './use-listing.ts'

/** The members of a project, each once: a person may have two memberships. */
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
export function useKnownPeople(ids: readonly string[], isComplete: boolean): boolean {
  const { people } = useServices()
  const [areKnown, setKnown] = useState(false)
  useEffect(() => {
    if (isComplete) void people.known(ids).then(() => setKnown(true))
  }, [isComplete, ids.length])
  return isComplete && (areKnown || ids.every((id) => people.findName(id) !== undefined))
}
