import { useMemo } from 'preact/hooks'
import type { Connection } from '../../api/live.ts'
import { useAllMembers } from '../../data/use-members.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { EmptyState, Skeleton, type SkeletonProps } from '../../ui/page-states.tsx'
import type { ViewName } from '../../ui/project-page.tsx'
import { narrow, useMedia } from '../../ui/viewport.ts'
import { dependsOnMembers, type Filters, noFilters, viewParameter } from './filters.ts'
import type { ProjectScope } from './name-lookup.ts'

/** The properties of every view of a project. */
export interface ProjectViewProps {
  readonly scope: ProjectScope
  readonly filters: Filters
  readonly openId: string | undefined
  /** The query of the address, so that links keep view and filters. */
  readonly query: string
  /**
   * While the name of the project is loading, a view loads its rows, but renders its skeleton, because a long
   * name moves everything below it.
   */
  readonly isNameLoading: boolean
  readonly areStagesLoading: boolean
  onConnection(connection: Connection): void
}

const shapes: Readonly<Record<ViewName | 'agenda', SkeletonProps>> = {
  board: { as: 'columns', blocks: 4, rows: 5, cells: 'lines face' },
  list: { as: 'grid', rows: 16, cells: 'check key text icon stage priority person labels type end hours' },
  calendar: { as: 'grid', rows: 5, cells: 'day day day day day day day' },
  timeline: { as: 'grid', rows: 7, cells: 'text day day day day' },
  agenda: { as: 'rows', blocks: 3, rows: 2, cells: 'lines face' },
}

/** Outlines a view while it is loading. */
export function ViewSkeleton({ view }: { readonly view: ViewName }) {
  // The calendar is an agenda up to this width.
  const isNarrow = useMedia(narrow)
  return <Skeleton {...shapes[view === 'calendar' && isNarrow ? 'agenda' : view]} />
}

/** Replaces the columns or the rows of a view if all assignments are filtered out. */
export function NoMatches() {
  const { router } = useServices()
  return (
    <EmptyState title={t('No assignments match these filters')} icon="filter">
      <p>{t('Try fewer letters, other days, or clear the filters.')}</p>
      <button
        type="button"
        class="button"
        onClick={() => router.setQuery({ ...noFilters, [viewParameter]: '' })}
      >
        {t('Clear filters')}
      </button>
    </EmptyState>
  )
}

/** Returns the ids of the members. They are loaded only if the filters depend on them. */
export function useMemberIds(projectId: string, filters: Filters) {
  const isNeeded = dependsOnMembers(filters)
  const { ids, isLoading } = useAllMembers(isNeeded ? projectId : undefined)
  return { ids: useMemo(() => new Set(ids), [ids.join()]), isLoading: isNeeded && isLoading }
}

export const blockedIdsOf = (
  impediments: readonly { readonly assignmentId: string }[],
  blockers: ReadonlyMap<string, unknown>,
): ReadonlySet<string> =>
  new Set([...impediments.map(({ assignmentId }) => assignmentId), ...blockers.keys()])
