import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { NewAssignmentDialog } from '../../../assignment/lazy-new-assignment.ts'
import { useProjectLabels, useProjectParts } from '../../../data/project-links.ts'
import { useFollowedRows } from '../../../data/use-followed-rows.ts'
import { useServices } from '../../../services/services.ts'
import { t } from '../../../texts/text.ts'
import { Icon } from '../../../ui/icon.tsx'
import { layerOf, SheetTitle } from '../../../ui/menu.tsx'
import { FoundAssignments } from '../../../ui/option-search.tsx'
import { EmptyState, LoadProblem } from '../../../ui/page-states.tsx'
import { placeBelow } from '../../../ui/viewport.ts'
import { isFiltered, queryOfFilters } from '../filters.ts'
import { type NameLookup, type ProjectScope, useBlocked, useNameLookup } from '../name-lookup.ts'
import { NoMatches, type ProjectViewProps, ViewSkeleton } from '../project-view.tsx'
import { useRowFilter } from '../row-filter.ts'
import { shownList, useSharedList, useSharedSelection } from '../shown-list.ts'
import {
  availableColumns,
  type Column,
  parseColumns,
  parseOrder,
  type SortOrder,
  sortRows,
  toggleColumn,
} from './list-columns.ts'
import {
  availableGroupings,
  exportList,
  type Grouping,
  type GroupValues,
  linesOf,
  parseGrouping,
  unfoldedLines,
  useFoldedGroups,
} from './list-lines.ts'
import { countText, ListTable } from './list-table.tsx'
import { SelectionBar, useSelection } from './selection.tsx'

type Assignment = RecordOf<'assignment'>

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
  const { lines, names } = useLines(scope, rows, settings)
  const selection = useSelection(lines.flatMap((line) => ('row' in line ? [line.id] : [])))
  const folded = useFoldedGroups(scope.projectId)
  const [newValues, setNewValues] = useState<GroupValues>()
  const selected = rows.filter(({ id }) => selection.has(id))
  useSharedSelection(selected)
  const isLoading = props.isNameLoading || followed.isLoading || filter.isLoading
  useSharedList(
    isLoading
      ? undefined
      : { countText: countText(rows), save: () => exportList({ ...settings, lines, names }) },
    [isLoading, rows, settings, lines, names],
  )
  useEffect(() => onConnection(followed.connection), [followed.connection])
  const problem = followed.problem && <LoadProblem problem={followed.problem} onRetry={followed.reload} />
  if (isLoading) return problem || <ViewSkeleton key={String(props.isNameLoading)} view="list" />
  return (
    <>
      {problem}
      <FoundAssignments search={filters.search} isStale={followed.isStale} count={rows.length} />
      {rows.length === 0 && !followed.problem ? (
        <NoAssignments projectId={scope.projectId} hasFilters={isFiltered(filters)} />
      ) : (
        <ListTable
          scope={scope}
          openId={openId}
          query={query}
          lines={unfoldedLines(lines, folded)}
          rows={rows}
          columns={shownColumnsOf(settings)}
          order={settings.order}
          names={names}
          parts={parts}
          selection={selection}
          folded={folded}
          onAdd={setNewValues}
          isStale={followed.isStale}
        />
      )}
      {followed.isCut && <p class="quiet-text">{t('Only the first 5,000 assignments are shown.')}</p>}
      {newValues && (
        <NewAssignmentDialog scope={scope} values={newValues} onClose={() => setNewValues(undefined)} />
      )}
      {selected.length > 0 && (
        <SelectionBar
          scope={scope}
          selected={selected}
          names={names}
          onChanged={followed.put}
          onClear={selection.clear}
        />
      )}
    </>
  )
}

/** Leaves out the column that the group headers repeat, except labels, whose colors the headers lack. */
const shownColumnsOf = ({ columns, grouping }: ListSettings): readonly Column[] =>
  columns.filter(({ name }) => name !== grouping?.name || name === 'labels')

type ListSettings = Readonly<{
  columns: readonly Column[]
  order: SortOrder
  grouping: Grouping | undefined
}>

/** Loads the names that ids stand for, and sorts and groups the rows by these names. */
function useLines(scope: ProjectScope, rows: readonly Assignment[], settings: ListSettings) {
  const projectIdIfShown = (column: Column['name']) =>
    settings.columns.some(({ name }) => name === column) ? scope.projectId : undefined
  const isEmpty = rows.length === 0
  const labels = useProjectLabels(
    settings.grouping?.name === 'labels' ? scope.projectId : projectIdIfShown('labels'),
    isEmpty,
  )
  const blocked = useBlocked(projectIdIfShown('blocked'), scope.doneStageIds, isEmpty)
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

interface NoAssignmentsProps {
  readonly projectId: string
  readonly hasFilters: boolean
}

function NoAssignments({ projectId, hasFilters }: NoAssignmentsProps) {
  return hasFilters ? (
    <NoMatches />
  ) : (
    <EmptyState title={t('No assignments yet')} icon="list">
      <p>{t('Create the first one here, or press N.')}</p>
      <button type="button" class="button primary" data-new-assignment={projectId}>
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

interface DisplayMenuProps {
  readonly id: string
  /** The button below which the menu is placed. */
  readonly button: { readonly current: HTMLButtonElement | null }
  onClose(): void
}

/** Without room, a list leaves out usual columns. */
const isDrawn = ({ name }: Column): boolean =>
  document.querySelector(`.list-head .list-${name}`)?.checkVisibility() !== false

/** Chooses the groups and columns of a list, and saves the shown list as a file. */
export function DisplayMenu({ id, button, onClose }: DisplayMenuProps) {
  const { configuration, router } = useServices()
  const layer = useRef<HTMLDivElement>(null)
  const query = router.address.value.searchParams
  const columns = parseColumns(query, configuration)
  const drawn = query.has('columns') ? columns : columns.filter(isDrawn)
  /** If columns are left out, the address needs all names, so that all columns are drawn. */
  const toggle = (column: Column) => {
    const all = drawn.length < columns.length ? columns.map(({ name }) => name).join() : ''
    router.setQuery({ columns: toggleColumn(drawn, column, configuration) || all })
  }
  useLayoutEffect(() => {
    if (layer.current === null || button.current === null) return
    layer.current.showPopover()
    placeBelow(layer.current, button.current)
    layer.current.querySelector('select')?.focus()
  }, [])
  return (
    <div
      ref={layer}
      id={id}
      class="popover display-menu"
      role="dialog"
      aria-label={t('Display')}
      {...layerOf(button, onClose)}
    >
      <SheetTitle title={t('Display')} onClose={() => layer.current?.hidePopover()} />
      <div class="display-group">
        <span aria-hidden="true">{t('Group by')}</span>
        <select
          aria-label={t('Group by')}
          class="input"
          value={parseGrouping(query, configuration)?.name ?? ''}
          onChange={(event) => router.setQuery({ group: event.currentTarget.value })}
        >
          <option value="">{t('No grouping')}</option>
          {availableGroupings(configuration).map(({ name, label }) => (
            <option key={name} value={name}>
              {t(label)}
            </option>
          ))}
        </select>
      </div>
      <fieldset class="display-columns">
        <legend>{t('Columns')}</legend>
        {availableColumns(configuration)
          .filter(({ name }) => name !== 'name')
          .map((column) => (
            <button
              key={column.name}
              type="button"
              aria-pressed={drawn.includes(column)}
              onClick={() => toggle(column)}
            >
              {t(column.label)}
            </button>
          ))}
      </fieldset>
      <button
        type="button"
        class="button wide"
        title={t('Saves the list as it is shown')}
        onClick={() => shownList.peek()?.save()}
      >
        <Icon name="download" />
        <span>{t('Export as CSV')}</span>
      </button>
    </div>
  )
}
