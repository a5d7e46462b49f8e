import { useEffect, useMemo } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { useServices } from '../../../services/services.ts'
import { t, tn } from '../../../texts/text.ts'
import { showHours } from '../../../time/hours.ts'
import { sumHours } from '../../../time/sum-hours.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useWindowed } from '../use-windowed.ts'
import type { ViewNames } from '../view-names.ts'
import type { ProjectViewProps } from '../view-props.ts'
import type { Column } from './list-columns.ts'
import { type Line, type Order, orderAfter } from './list-order.ts'
import { ListRow } from './list-row.tsx'
import type { Selection } from './use-selection.ts'

export interface ListTableProps extends Pick<ProjectViewProps, 'scope' | 'openId' | 'query'> {
  readonly lines: readonly Line[]
  readonly rows: readonly RecordOf<'assignment'>[]
  readonly columns: readonly Column[]
  readonly order: Order
  readonly names: ViewNames
  readonly selection: Selection
  readonly isStale: boolean
}

/** What a row needs until it was drawn. */
const estimatePixels = 42

/** The head stays; the rows scroll below it, and only those near the view are drawn. */
export function ListTable(props: ListTableProps) {
  const { lines, rows, columns, scope, openId, query, names, selection, isStale } = props
  const windowed = useWindowed(lines, estimatePixels)
  const first = useMemo(() => new Map(lines.map(({ id }, index) => [id, index + 2])), [lines])
  useEffect(() => (openId === undefined ? undefined : windowed.reveal(openId)), [openId])
  return (
    <section
      class="list-scroll"
      aria-label={t('Assignments')}
      aria-busy={isStale}
      ref={windowed.scroller}
      onScroll={windowed.onScroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
      tabIndex={0}
    >
      <table class="list" aria-rowcount={lines.length + 1}>
        <Head {...props} rows={rows} />
        <tbody>
          <Space pixels={windowed.before} columns={columns} />
          {windowed.drawn.map((line) =>
            'row' in line ? (
              <ListRow
                key={line.id}
                row={line.row}
                index={first.get(line.id) ?? 0}
                columns={columns}
                names={names}
                isDone={line.row.workflowId === scope.doneId}
                isOpen={line.id === openId}
                isSelected={selection.has(line.id)}
                query={query}
                onSelect={selection.toggle}
              />
            ) : (
              <GroupLine
                key={line.id}
                line={line}
                index={first.get(line.id) ?? 0}
                columns={columns}
                selection={selection}
              />
            ),
          )}
          <Space pixels={windowed.behind} columns={columns} />
        </tbody>
      </table>
    </section>
  )
}

/** Stands for the rows that are not drawn. */
const Space = ({ pixels, columns }: { readonly pixels: number; readonly columns: readonly Column[] }) =>
  pixels === 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row cannot take the focus
    <tr aria-hidden="true" style={{ height: `${pixels}px` }}>
      <td colSpan={columns.length + 1} />
    </tr>
  )

function Head({ rows, columns, order, selection }: ListTableProps) {
  const { router } = useServices()
  const ids = rows.map(({ id }) => id)
  const count = ids.filter(selection.has).length
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" class="list-check">
          <label>
            <input
              type="checkbox"
              aria-label={t('Select all')}
              checked={count > 0 && count === ids.length}
              indeterminate={count > 0 && count < ids.length}
              onClick={() => selection.toggleAll(ids)}
            />
          </label>
        </th>
        {columns.map((column) => (
          <th
            key={column.name}
            scope="col"
            class={`list-${column.name} ${column.isNumber ? 'number' : ''}`}
            aria-sort={sortOf(order, column)}
          >
            <button
              type="button"
              class="sort-button"
              onClick={() => router.setQuery({ sort: orderAfter(order, column.name) })}
            >
              <span>{t(column.label)}</span>
              {order.column === column && <Icon name={order.isDescending ? 'down' : 'up'} />}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  )
}

function sortOf({ column, isDescending }: Order, one: Column) {
  if (column !== one) return undefined
  return isDescending ? 'descending' : 'ascending'
}

interface GroupLineProps {
  readonly line: Extract<Line, { readonly title: string }>
  readonly index: number
  readonly columns: readonly Column[]
  readonly selection: Selection
}

const GroupLine = ({ line: { id, title, rows }, index, columns, selection }: GroupLineProps) => (
  <tr data-row={id} aria-rowindex={index} class="list-group">
    <td class="list-check">
      <label>
        <input
          type="checkbox"
          aria-label={t('Select all of {group}', { group: title })}
          checked={rows.every((row) => selection.has(row.id))}
          onClick={() => selection.toggleAll(rows.map((row) => row.id))}
        />
      </label>
    </td>
    <th scope="rowgroup" colSpan={columns.length}>
      <span dir="auto">{title}</span>{' '}
      <span class="quiet-text">
        {tn(rows.length, '1 assignment', '{count} assignments')} · {showHours(sumHours(rows))}
      </span>
    </th>
  </tr>
)
