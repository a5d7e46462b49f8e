import { useMemo } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { Api, RecordOf } from '../../api/api.ts'
import { useAllRows } from '../../data/use-listing.ts'
import { projectPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { type Filters, filterTextOf, queryOfView, viewParameter } from './filters.ts'

/** A view of the user, or one that a member shares with the project. */
export type SavedView = (
  | { readonly resource: 'savedView'; readonly row: RecordOf<'savedView'> }
  | { readonly resource: 'projectView'; readonly row: RecordOf<'projectView'> }
) & {
  /** The query of the stored address. Its path is always the path of the project. */
  readonly query: string
  /** True if the user has created the view and may change it. */
  readonly isOwn: boolean
}

export type SavedViews = ReturnType<typeof useSavedViews>

/** Returns the saved views of a project. Shared views come first. Without the extensions, there are none. */
export function useSavedViews(projectId: string) {
  const { configuration, router, session } = useServices()
  const userId = session.person.value?.id
  const isAvailable = configuration.extensions && userId !== undefined
  const shared = useAllRows('projectView', isAvailable ? { projectId, sortColumn: 'name' } : undefined)
  const personal = useAllRows('savedView', isAvailable ? { userId, sortColumn: 'name' } : undefined)
  const views = useMemo((): readonly SavedView[] => {
    const all = [
      ...shared.rows.map((row) => ({ resource: 'projectView', row }) as const),
      ...personal.rows.map((row) => ({ resource: 'savedView', row }) as const),
    ]
    return all.flatMap((view) => {
      const query = queryOfAddress(view.row.address, projectId)
      return query === undefined ? [] : [{ ...view, query, isOwn: view.row.userId === userId }]
    })
  }, [shared.rows, personal.rows, projectId, userId])
  const { searchParams } = router.address.value
  const query = queryOfView(searchParams)
  const current =
    views.find(({ row }) => row.id === searchParams.get(viewParameter)) ??
    views.find((view) => view.query === query)
  return {
    isAvailable,
    views,
    current,
    /** The query of the address, without the parameters that views do not store. */
    query,
    isChanged: current !== undefined && current.query !== query,
  }
}

/** Returns undefined if the address leads elsewhere. Other API clients may save other addresses, or none. */
function queryOfAddress(address: string | null, projectId: string): string | undefined {
  const [path, query] = (address ?? '').split('?', 2)
  return path === projectPath(projectId) ? queryOfView(new URLSearchParams(query)) : undefined
}

/** Omits the filter if it is too long. The address contains the filter as well. */
export function contentOf(projectId: string, query: string, filters: Filters): ViewContent {
  const filter = filterTextOf(filters, projectId)
  return { address: projectPath(projectId, query), filter: filter.length <= limits.filter ? filter : null }
}

/** Sends the whole record, because an update clears optional fields that it leaves out. */
export function writeView(api: Api, view: SavedView, change: ViewChange): Promise<unknown> {
  return view.resource === 'savedView'
    ? api.update('savedView', { ...view.row, ...change })
    : api.update('projectView', { ...view.row, ...change })
}

/** The stored state of the list that a view shows. */
export interface ViewContent {
  readonly address: string
  readonly filter: string | null
}

type ViewChange = Partial<Pick<RecordOf<'savedView'>, 'name' | 'address' | 'filter'>>
