import { useEffect, useMemo } from 'preact/hooks'
import { useFollowedRows } from '../../../data/use-followed-rows.ts'
import { useServices } from '../../../services/services.ts'
import { t, tn } from '../../../texts/text.ts'
import { showHours } from '../../../time/hours.ts'
import { sumHours } from '../../../time/sum-hours.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { EmptyState, LoadProblem } from '../../../ui/notes.tsx'
import { isFiltered, queryOfFilters } from '../filters.ts'
import { useViewNames, type ViewNames } from '../view-names.ts'
import type { ProjectViewProps } from '../view-props.ts'
import { ViewSkeleton } from '../view-skeleton.tsx'
import { columns as allColumns, type Column, columnsAfter, readColumns } from './list-columns.ts'
import { groupings, inOrder, linesOf, readGrouping, readOrder } from './list-order.ts'
import { ListTable } from './list-table.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { useSelection } from './use-selection.ts'

/** The assignments of a project as a table: sorted, grouped, and changed many at once. What is chosen stands in the address. */
export function ListView(props: ProjectViewProps) {
  const { scope, filters, openId, query, onConnection } = props
  const found = useFollowedRows({ projectId: scope.projectId, ...queryOfFilters(filters) })
  const names = useViewNames(scope)
  const chosen = useMemo(() => {
    const parameters = new URLSearchParams(query)
    return {
      columns: readColumns(parameters),
      order: readOrder(parameters),
      grouping: readGrouping(parameters),
    }
  }, [query])
  const places = useMemo(() => new Map(scope.stages.map(({ id }, index) => [id, index])), [scope.stages])
  const peopleKey = usePeopleKey(found.rows, names)
  const lines = useMemo(
    () => linesOf(inOrder(found.rows, chosen.order, { names, places }), chosen.grouping, { names, places }),
    [found.rows, chosen, names, places, peopleKey],
  )
  const selection = useSelection(lines.flatMap((line) => ('row' in line ? [line.id] : [])))
  const selected = found.rows.filter(({ id }) => selection.has(id))
  useEffect(() => onConnection(found.connection), [found.connection])
  if (found.isLoading) return <ViewSkeleton view="list" />
  return (
    <>
      {found.problem && <LoadProblem problem={found.problem} onRetry={found.reload} />}
      {selected.length > 0 ? (
        <SelectionBar
          scope={scope}
          selected={selected}
          names={names}
          onChanged={found.put}
          onClear={selection.clear}
        />
      ) : (
        <ListTools columns={chosen.columns} group={chosen.grouping?.name ?? ''} rows={found.rows} />
      )}
      {found.rows.length === 0 && !found.problem ? (
        <Nothing isFiltered={isFiltered(filters)} />
      ) : (
        <ListTable
          scope={scope}
          openId={openId}
          query={query}
          lines={lines}
          rows={found.rows}
          columns={chosen.columns}
          order={chosen.order}
          names={names}
          selection={selection}
          isStale={found.isStale}
        />
      )}
      {found.isCut && <p class="quiet-text">{t('Only the first 5,000 assignments are shown.')}</p>}
    </>
  )
}

interface ListToolsProps {
  readonly columns: readonly Column[]
  readonly group: string
  readonly rows: readonly { readonly amountHours: number }[]
}

function ListTools({ columns, group, rows }: ListToolsProps) {
  const { router } = useServices()
  const optional = allColumns.filter(({ name }) => name !== 'name')
  return (
    <div class="list-tools">
      <span class="filter-day">
        <span aria-hidden="true">{t('Group by')}</span>
        <select
          aria-label={t('Group by')}
          class="input"
          value={group}
          onChange={(event) => router.setQuery({ group: event.currentTarget.value })}
        >
          <option value="">{t('nothing')}</option>
          {groupings.map(({ name, label }) => (
            <option key={name} value={name}>
              {t(label)}
            </option>
          ))}
        </select>
      </span>
      <Menu
        class="button"
        label={t('Columns')}
        items={optional.map((column) => ({
          label: t(column.label),
          isChecked: columns.includes(column),
          run: () => router.setQuery({ columns: columnsAfter(columns, column) }),
        }))}
      >
        <Icon name="columns" />
        <span>{t('Columns')}</span>
      </Menu>
      <span class="quiet-text">
        {tn(rows.length, '1 assignment', '{count} assignments')} · {showHours(sumHours(rows))}
      </span>
    </div>
  )
}

const Nothing = ({ isFiltered: isAny }: { readonly isFiltered: boolean }) =>
  isAny ? (
    <EmptyState title={t('No assignment fits these filters')}>
      <p>{t('Try fewer letters, other days, or clear the filters.')}</p>
    </EmptyState>
  ) : (
    <EmptyState title={t('No assignments yet')}>
      <p>{t('Make the first one with New assignment, or with the key C.')}</p>
    </EmptyState>
  )

/** Changes when names of people arrive, by which the list may be sorted and grouped. */
const usePeopleKey = (rows: readonly { readonly userId: string }[], names: ViewNames): string => {
  const ids = useMemo(() => [...new Set(rows.map(({ userId }) => userId))], [rows])
  return ids.map(names.personOf).join()
}
