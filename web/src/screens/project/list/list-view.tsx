import { useEffect, useMemo } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { type Change, useChangeMany, useRemoveMany } from '../../../assignment/change-many.ts'
import { useFollowedRows } from '../../../data/use-followed-rows.ts'
import { useMembers } from '../../../data/use-members.ts'
import { useServices } from '../../../services/services.ts'
import { t, tn } from '../../../texts/text.ts'
import { addDays, dayOf } from '../../../time/days.ts'
import { formatHours, sumHours } from '../../../time/hours.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { EmptyState, LoadProblem } from '../../../ui/notes.tsx'
import { isFiltered, queryOfFilters } from '../filters.ts'
import { type ProjectViewProps, useViewNames, type ViewNames } from '../view-names.ts'
import { ViewSkeleton } from '../view-skeleton.tsx'
import {
  columns as allColumns,
  type Column,
  columnsAfter,
  groupings,
  inOrder,
  linesOf,
  parseColumns,
  parseGrouping,
  parseOrder,
} from './list-columns.ts'
import { ListTable, useSelection } from './list-table.tsx'

/** The assignments of a project as a table: sorted, grouped, and changed many at once. The address contains all choices. */
export function ListView(props: ProjectViewProps) {
  const { scope, filters, openId, query, onConnection } = props
  const found = useFollowedRows({ projectId: scope.projectId, ...queryOfFilters(filters) })
  const names = useViewNames(scope)
  const chosen = useMemo(() => {
    const parameters = new URLSearchParams(query)
    return {
      columns: parseColumns(parameters),
      order: parseOrder(parameters),
      grouping: parseGrouping(parameters),
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
        {tn(rows.length, '1 assignment', '{count} assignments')} · {formatHours(sumHours(rows))}
      </span>
    </div>
  )
}

const Nothing = ({ isFiltered: isAny }: { readonly isFiltered: boolean }) =>
  isAny ? (
    <EmptyState title={t('No assignments match these filters')}>
      <p>{t('Try fewer letters, other days, or clear the filters.')}</p>
    </EmptyState>
  ) : (
    <EmptyState title={t('No assignments yet')}>
      <p>{t('Create the first one with New assignment, or press C.')}</p>
    </EmptyState>
  )

/** Changes when names of people arrive, because the list may be sorted and grouped by them. */
const usePeopleKey = (rows: readonly { readonly userId: string }[], names: ViewNames): string => {
  const ids = useMemo(() => [...new Set(rows.map(({ userId }) => userId))], [rows])
  return ids.map(names.personOf).join()
}

type Assignment = RecordOf<'assignment'>

export interface SelectionBarProps {
  readonly scope: ProjectViewProps['scope']
  readonly selected: readonly Assignment[]
  readonly names: ViewNames
  onChanged(rows: readonly Assignment[]): void
  onClear(): void
}

/** Actions for all selected assignments. */
function SelectionBar({ scope, selected, names, onChanged, onClear }: SelectionBarProps) {
  const change = useChangeMany(onChanged)
  const remove = useRemoveMany()
  const members = useMembers(scope.projectId)
  const changeAll = (changeOf: (row: Assignment) => Change, value: string) =>
    void change(selected, changeOf, (count) =>
      tn(count, 'One assignment: {value}.', '{count} assignments: {value}.', { value }),
    )
  const set = (name: 'workflowId' | 'userId' | 'assignmentTypeId', id: string, value: string) =>
    changeAll((row) => (row[name] === id ? {} : { [name]: id }), value)
  const removeAll = () => void remove(selected.map(({ id }) => id))
  const stages = scope.stages.map(({ id, name }) => ({ label: name, run: () => set('workflowId', id, name) }))
  const types = names.types.map(({ id, name }) => ({
    label: name,
    run: () => set('assignmentTypeId', id, name),
  }))
  const people = members.ids.map((id) => {
    const name = names.personOf(id)
    return { label: name, run: () => set('userId', id, name) }
  })
  const shifts = shiftDays.map(({ label, days }) => ({
    label: t(label),
    run: () => changeAll((row) => shifted(row, days), t(label)),
  }))
  return (
    <div class="selection-bar" role="toolbar" aria-label={t('Change the selection')}>
      <strong role="status">{tn(selected.length, '1 selected', '{count} selected')}</strong>
      <BarMenu label={t('Stage')} items={stages} />
      <BarMenu label={t('Responsible')} items={people} />
      <BarMenu label={t('Type')} items={types} />
      <BarMenu label={t('Days')} items={shifts} />
      <button type="button" class="button danger" onClick={removeAll}>
        <Icon name="trash" />
        <span>{t('Remove')}</span>
      </button>
      <button type="button" class="button quiet" onClick={onClear}>
        <Icon name="close" />
        <span>{t('Select none')}</span>
      </button>
    </div>
  )
}

interface BarMenuProps {
  readonly label: string
  readonly items: readonly { readonly label: string; run(): void }[]
}

const BarMenu = ({ label, items }: BarMenuProps) => (
  <Menu class="button" label={t('{field} of all selected', { field: label })} items={items}>
    <span>{label}</span>
    <Icon name="down" />
  </Menu>
)

const shiftDays = [
  { label: 'One week earlier', days: -7 },
  { label: 'One day earlier', days: -1 },
  { label: 'One day later', days: 1 },
  { label: 'One week later', days: 7 },
] as const

const shifted = ({ startDate, endDate }: Assignment, days: number): Change => ({
  startDate: addDays(dayOf(startDate), days),
  endDate: addDays(dayOf(endDate), days),
})
