import { useMemo } from 'preact/hooks'
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
