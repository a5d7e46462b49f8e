import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { NewAssignmentDialog } from '../../../assignment/lazy-new-assignment.ts'
import { useFollowedRows } from '../../../data/use-followed-rows.ts'
import { useProjectLabels } from '../../../data/use-project-labels.ts'
import { useProjectParts } from '../../../data/use-project-parts.ts'
import { useServices } from '../../../services/services.ts'
import { t } from '../../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../../ui/notes.tsx'
import { isFiltered, queryOfFilters } from '../filters.ts'
import { type NameLookup, useBlocked, useNameLookup } from '../name-lookup.ts'
import { NoMatches, type ProjectViewProps, useRowFilter, ViewSkeleton } from '../project-view.tsx'
import { useSharedList, useSharedSelection } from '../shown-list.ts'
import { exportList } from './export-list.ts'
import {
  type Column,
  type Grouping,
  type GroupValues,
  linesOf,
  parseColumns,
  parseGrouping,
  parseOrder,
  type SortOrder,
  sortRows,
} from './list-columns.ts'
import { countText, ListTable } from './list-table.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { unfoldedLines, useFoldedGroups } from './use-folded-groups.ts'
import { useSelection } from './use-selection.ts'

/**
 * Lists the assignments of a project in a table, sorted and grouped as the address says. Several can be
 * changed at once.
 */
export function ListView(props: ProjectViewProps) {
  const { scope, filters, openId, query, onConnection } = props
  const { configuration } = useServices()
  const followed = useFollowedRows({ projectId: scope.projectId, ...queryOfFilters(filters) })
  const filter = useRowFilter(scope, filters)
  const rows = useMemo(() => followed.rows.filter(filter.matches), [followed.rows, filter.matches])
  const listing = { ...followed, rows }
  const settings = useMemo(() => {
    const parameters = new URLSearchParams(query)
    return {
      columns: parseColumns(parameters, configuration),
      order: parseOrder(parameters),
      grouping: parseGrouping(parameters, configuration),
    }
  }, [query])
  const totalCount = followed.isLoading ? undefined : followed.rows.length
  const parts = useProjectParts(scope.projectId, followed.rows, totalCount, scope.doneStageIds)
  const { lines, names } = useLines(scope, listing.rows, settings)
  const selection = useSelection(lines.flatMap((line) => ('row' in line ? [line.id] : [])))
  const folded = useFoldedGroups(scope.projectId)
  const [newValues, setNewValues] = useState<GroupValues>()
  const selected = listing.rows.filter(({ id }) => selection.has(id))
  useSharedSelection(selected)
  const isLoading = props.isNameLoading || listing.isLoading || filter.isLoading
  useSharedList(
    isLoading
      ? undefined
      : { countText: countText(rows), save: () => exportList({ ...settings, lines, names }) },
    [isLoading, rows, settings, lines, names],
  )
  useEffect(() => onConnection(listing.connection), [listing.connection])
  if (isLoading) return <ViewSkeleton key={String(props.isNameLoading)} view="list" />
  return (
    <>
      {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
      {listing.rows.length === 0 && !listing.problem ? (
        <NoAssignments hasFilters={isFiltered(filters)} />
      ) : (
        <ListTable
          scope={scope}
          openId={openId}
          query={query}
          lines={unfoldedLines(lines, folded)}
          rows={listing.rows}
          columns={columnsBeside(settings)}
          order={settings.order}
          names={names}
          parts={parts}
          selection={selection}
          folded={folded}
          onAdd={setNewValues}
          isStale={listing.isStale}
        />
      )}
      {listing.isCut && <p class="quiet-text">{t('Only the first 5,000 assignments are shown.')}</p>}
      {newValues && (
        <NewAssignmentDialog scope={scope} values={newValues} onClose={() => setNewValues(undefined)} />
      )}
      {selected.length > 0 && (
        <SelectionBar
          scope={scope}
          selected={selected}
          names={names}
          onChanged={listing.put}
          onClear={selection.clear}
        />
      )}
    </>
  )
}

/** Leaves out the column that the group headers repeat, except labels, whose colors the headers lack. */
const columnsBeside = ({ columns, grouping }: ListSettings): readonly Column[] =>
  columns.filter(({ name }) => name !== grouping?.name || name === 'labels')

type ListSettings = Readonly<{
  columns: readonly Column[]
  order: SortOrder
  grouping: Grouping | undefined
}>

/** Loads the names that ids stand for, and sorts and groups the rows by these names. */
function useLines(scope: ProjectViewProps['scope'], rows: readonly Assignment[], settings: ListSettings) {
  const scopeOf = (column: Column['name']) =>
    settings.columns.some(({ name }) => name === column) ? scope.projectId : undefined
  const isEmpty = rows.length === 0
  const labels = useProjectLabels(
    settings.grouping?.name === 'labels' ? scope.projectId : scopeOf('labels'),
    isEmpty,
  )
  const blocked = useBlocked(scopeOf('blocked'), scope.doneStageIds, isEmpty)
  const names = useNameLookup(scope, labels.byAssignment, blocked.blockReasons)
  const stagePositions = useMemo(
    () => new Map(scope.stages.map(({ id }, index) => [id, index])),
    [scope.stages],
  )
  const peopleKey = usePeopleKey(rows, names)
  const lines = useMemo(() => {
    const context = { names, stagePositions, doneStageIds: scope.doneStageIds }
    return linesOf(sortRows(rows, settings.order, context), settings.grouping, context)
  }, [rows, settings, names, stagePositions, scope.doneStageIds, peopleKey])
  return { lines, names }
}

function NoAssignments({ hasFilters }: { readonly hasFilters: boolean }) {
  const { router } = useServices()
  return hasFilters ? (
    <NoMatches />
  ) : (
    <EmptyState title={t('No assignments yet')} icon="list">
      <p>{t('Create the first one here, or press N.')}</p>
      <button type="button" class="button primary" onClick={() => router.setQuery({ new: '1' })}>
        {t('New assignment')}
      </button>
    </EmptyState>
  )
}

/** Returns a key that changes when names of people are loaded, because the list may be sorted by them. */
const usePeopleKey = (rows: readonly { readonly userId: string }[], names: NameLookup): string => {
  const ids = useMemo(() => [...new Set(rows.map(({ userId }) => userId))], [rows])
  return ids.map(names.personOf).join()
}

type Assignment = RecordOf<'assignment'>
