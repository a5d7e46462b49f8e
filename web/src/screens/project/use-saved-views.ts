import { useMemo } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { Api, RecordOf } from '../../api/api.ts'
import { useAllRows } from '../../data/use-live.ts'
import { projectPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import type { Filters } from './filters.ts'
import { filterTextOf, queryOfView, viewParameter } from './view-address.ts'

/** A view of the user, or one that a member shares with the project. */
export type SavedView = (
  | { readonly resource: 'savedView'; readonly row: RecordOf<'savedView'> }
  | { readonly resource: 'projectView'; readonly row: RecordOf<'projectView'> }
) & {
  /** The query of its address, whose path is that of the project. */
  readonly query: string
  /** Whether the user may change it. */
  readonly isOwn: boolean
}

export type SavedViews = ReturnType<typeof useSavedViews>

/** Returns the saved views of a project by name, the shared ones first, and the one that is open. Part of the extensions. */
export function useSavedViews(projectId: string) {
  const { configuration, router, session } = useServices()
  const userId = session.person.value?.id
  const isAvailable = configuration.extensions && userId !== undefined
  const shared = useAllRows('projectView', isAvailable ? { projectId, sortColumn: 'name' } : undefined)
  const own = useAllRows('savedView', isAvailable ? { userId, sortColumn: 'name' } : undefined)
  const views = useMemo((): readonly SavedView[] => {
    const all = [
      ...shared.rows.map((row) => ({ resource: 'projectView', row }) as const),
      ...own.rows.map((row) => ({ resource: 'savedView', row }) as const),
    ]
    return all.flatMap((view) => {
      const query = queryIn(view.row.address, projectId)
      return query === undefined ? [] : [{ ...view, query, isOwn: view.row.userId === userId }]
    })
  }, [shared.rows, own.rows, projectId, userId])
  const { searchParams } = router.address.value
  const query = queryOfView(searchParams)
  const current =
    views.find(({ row }) => row.id === searchParams.get(viewParameter)) ??
    views.find((view) => view.query === query)
  return {
    isAvailable,
    views,
    current,
    /** The query of the page as a view would keep it. */
    query,
    isChanged: current !== undefined && current.query !== query,
  }
}

/** Returns the query of an address of the project; programs may save views of other pages, or of none. */
function queryIn(address: string | null, projectId: string): string | undefined {
  const [path, query] = (address ?? '').split('?', 2)
  return path === projectPath(projectId) ? queryOfView(new URLSearchParams(query)) : undefined
}

/** A filter that is too long is left out; the address says the same. */
export function contentOf(projectId: string, query: string, filters: Filters): ViewChange {
  const filter = filterTextOf(filters, projectId)
  return { address: projectPath(projectId, query), filter: filter.length <= limits.filter ? filter : null }
}

/** Sends the whole record, because an update clears optional fields that it leaves out. */
export function writeView(api: Api, view: SavedView, changed: ViewChange): Promise<unknown> {
  return view.resource === 'savedView'
    ? api.update('savedView', { ...view.row, ...changed })
    : api.update('projectView', { ...view.row, ...changed })
}

export type ViewChange = Partial<Pick<RecordOf<'savedView'>, 'name' | 'address' | 'filter'>>
