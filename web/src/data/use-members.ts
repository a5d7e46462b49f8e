import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { loadAll } from '../api/load-all.ts'
import { useServices } from '../services/services.ts'
import { useListing } from './use-listing.ts'
import { useLoaded } from './use-loaded.ts'

/** Returns each member of a project once, because a person may have two memberships. A page has enough of them for most screens. */
export function useMembers(projectId: string | undefined) {
  const listing = useListing(
    'userProject',
    projectId === undefined ? undefined : { projectId, sortColumn: 'createdAt', pageSize: 100 },
  )
  const memberships = useMemo(() => Map.groupBy(listing.rows, ({ userId }) => userId), [listing.rows])
  const ids = useMemo(() => [...memberships.keys()], [memberships])
  return { ids, memberships, isLoading: listing.isLoading, problem: listing.problem, reload: listing.reload }
}

/** More than any project needs; the dialog says so if there are further ones. */
const memberPagesMax = 10

/** Returns all memberships of a project by person, sorted by name as far as names are known. */
export function useAllMembers(projectId: string) {
  const { api, people } = useServices()
  const loaded = useLoaded(`members ${projectId}`, ['userProject'], async (signal) => {
    const query = { projectId, sortColumn: 'createdAt' } as const
    const { rows, isCut } = await loadAll(api, 'userProject', query, { pagesMax: memberPagesMax, signal })
    const memberships = Map.groupBy(rows, ({ userId }) => userId)
    await people.waitForNames([...memberships.keys()])
    return { memberships, isCut }
  })
  const { memberships = new Map<string, RecordOf<'userProject'>[]>(), isCut = false } = loaded.value ?? {}
  const ids = [...memberships.keys()].sort((one, other) =>
    people.nameOf(one).localeCompare(people.nameOf(other)),
  )
  return { ...loaded, ids, memberships, isCut, isLoading: loaded.value === undefined && !loaded.problem }
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
