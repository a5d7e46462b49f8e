import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { LabelChips } from '../../../assignment/labels.tsx'
import { assignmentPath } from '../../../router/router.ts'
import { useServices } from '../../../services/services.ts'
import { t, tn } from '../../../texts/text.ts'
import { dayOf, formatDay, today } from '../../../time/days.ts'
import { formatHours, sumHours } from '../../../time/hours.ts'
import { PersonAvatar } from '../../../ui/avatar.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { assignmentElementId } from '../use-card-focus.ts'
import { useVirtualRows } from '../use-virtual-rows.ts'
import type { NameLookup, ProjectViewProps } from '../view-props.ts'
import { type Column, type Line, type SortOrder, toggleSort } from './list-columns.ts'

export interface ListTableProps extends Pick<ProjectViewProps, 'scope' | 'openId' | 'query'> {
  readonly lines: readonly Line[]
  readonly rows: readonly RecordOf<'assignment'>[]
  readonly columns: readonly Column[]
  readonly order: SortOrder
  readonly names: NameLookup
  readonly selection: Selection
  readonly isStale: boolean
}

/** The assumed height of a row before it is measured. */
const estimatedRowPixels = 42

/** The header stays in place. The rows scroll below it, and only those near the visible part are rendered. */
export function ListTable(props: ListTableProps) {
  const { lines, rows, columns, scope, openId, query, names, selection, isStale } = props
  const virtual = useVirtualRows(lines, estimatedRowPixels)
  const rowIndexes = useMemo(() => new Map(lines.map(({ id }, index) => [id, index + 2])), [lines])
  useEffect(() => (openId === undefined ? undefined : virtual.reveal(openId)), [openId])
  return (
    <section
      class="list-scroll"
      aria-label={t('Assignments')}
      aria-busy={isStale}
      ref={virtual.scroller}
      onScroll={virtual.onScroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
      tabIndex={0}
    >
      <table class="list" aria-rowcount={lines.length + 1}>
        <TableHead {...props} rows={rows} />
        <tbody>
          <Spacer pixels={virtual.pixelsBefore} columns={columns} />
          {virtual.rendered.map((line) =>
            'row' in line ? (
              <ListRow
                key={line.id}
                row={line.row}
                index={rowIndexes.get(line.id) ?? 0}
                columns={columns}
                names={names}
                isDone={scope.doneIds.has(line.row.workflowId)}
                isOpen={line.id === openId}
                isSelected={selection.has(line.id)}
                query={query}
                onSelect={selection.toggle}
              />
            ) : (
              <GroupLine
                key={line.id}
                line={line}
                index={rowIndexes.get(line.id) ?? 0}
                columns={columns}
                selection={selection}
              />
            ),
          )}
          <Spacer pixels={virtual.pixelsAfter} columns={columns} />
        </tbody>
      </table>
    </section>
  )
}

/** Replaces the rows that are not rendered. */
const Spacer = ({ pixels, columns }: { readonly pixels: number; readonly columns: readonly Column[] }) =>
  pixels === 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: this row cannot take the focus
    <tr aria-hidden="true" style={{ height: `${pixels}px` }}>
      <td colSpan={columns.length + 1} />
    </tr>
  )

function TableHead({ rows, columns, order, selection }: ListTableProps) {
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
            aria-sort={ariaSortOf(order, column)}
          >
            <button
              type="button"
              class="sort-button"
              onClick={() => router.setQuery({ sort: toggleSort(order, column.name) })}
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

function ariaSortOf({ column, isDescending }: SortOrder, one: Column) {
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
        {tn(rows.length, '1 assignment', '{count} assignments')} · {formatHours(sumHours(rows))}
      </span>
    </th>
  </tr>
)

export interface ListRowProps {
  readonly row: RecordOf<'assignment'>
  readonly index: number
  readonly columns: readonly Column[]
  readonly names: NameLookup
  readonly isDone: boolean
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly query: string
  onSelect(id: string, isRange: boolean): void
}

/** Memoized, because a list has many rows. */
function ListRow(props: ListRowProps) {
  const { row, index, columns, names, isDone, isOpen, isSelected, query } = props
  return useMemo(
    () => <Row {...props} />,
    [row, index, columns, names, isDone, isOpen, isSelected, query, names.personOf(row.userId)],
  )
}

function Row(props: ListRowProps) {
  const { row, index, columns, names, isDone, isOpen, isSelected, query, onSelect } = props
  const { id, name, projectId } = row
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key === 'x') onSelect(id, event.shiftKey)
    else moveFocus(event)
  }
  return (
    <tr
      data-row={id}
      aria-rowindex={index}
      class={`list-row ${isOpen ? 'open' : ''} ${isSelected ? 'selected' : ''}`}
    >
      <td class="list-check">
        <label>
          <input
            type="checkbox"
            aria-label={t('Select {name}', { name })}
            checked={isSelected}
            onClick={(event) => onSelect(id, event.shiftKey)}
          />
        </label>
      </td>
      {columns.map((column) => (
        <td key={column.name} class={`list-${column.name} ${column.isNumber ? 'number' : ''}`}>
          {column.name === 'name' ? (
            <>
              <a
                id={assignmentElementId(id)}
                class="list-link"
                dir="auto"
                href={assignmentPath(projectId, id, query)}
                aria-current={isOpen ? 'true' : undefined}
                aria-keyshortcuts="X"
                onKeyDown={onKeyDown}
              >
                {name}
              </a>
              <Facts row={row} names={names} isDone={isDone} />
            </>
          ) : (
            <Cell column={column} {...props} />
          )}
        </td>
      ))}
    </tr>
  )
}

const isLate = ({ row, isDone }: Pick<ListRowProps, 'row' | 'isDone'>): boolean =>
  !isDone && dayOf(row.endDate) < today()

function Cell({ column, row, names, isDone }: ListRowProps & { readonly column: Column }) {
  const text = column.text(row, names)
  if (column.name === 'person')
    return (
      <span class="list-person-name">
        <PersonAvatar id={row.userId} isDecorative />
        <span dir="auto">{text}</span>
      </span>
    )
  if (column.name === 'type' || column.name === 'stage')
    return (
      <span class={column.name === 'type' ? 'chip' : ''} dir="auto">
        {text}
      </span>
    )
  if (column.name === 'labels') return <LabelChips labels={names.labelsOf(row.id)} />
  if (column.name === 'end' && isLate({ row, isDone }))
    return (
      <span class="late" title={t('Overdue')}>
        {text}
        <span class="visually-hidden"> {t('Overdue')}</span>
      </span>
    )
  return text
}

/** Shows the most important columns below the name on narrow screens. */
const Facts = ({ row, names, isDone }: Pick<ListRowProps, 'row' | 'names' | 'isDone'>) => (
  <span class="list-facts">
    <PersonAvatar id={row.userId} />
    <span dir="auto">{names.stageOf(row.workflowId)}</span>
    <span class={isLate({ row, isDone }) ? 'late' : ''}>{dueText(row, isDone)}</span>
  </span>
)

function dueText(row: ListRowProps['row'], isDone: boolean): string {
  const day = formatDay(row.endDate)
  return isLate({ row, isDone }) ? t('Was due {day}', { day }) : t('Until {day}', { day })
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Moves the focus up and down between names. */
function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = steps[event.key]
  if (step === undefined) return
  event.preventDefault()
  const links = [...(event.currentTarget.closest('table')?.querySelectorAll<HTMLElement>('.list-link') ?? [])]
  links[links.indexOf(event.currentTarget) + step]?.focus()
}

interface Selection {
  has(id: string): boolean
  /** A range reaches from the row that was toggled last to this one. */
  toggle(id: string, isRange: boolean): void
  /** Selects all of them, or none if all are selected. */
  toggleAll(ids: readonly string[]): void
  clear(): void
}

/**
 * Tracks the selected rows; `order` has the ids in the order of the screen. The functions never change, so that memoized rows can
 * keep them.
 */
export function useSelection(order: readonly string[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<string>(undefined)
  const latestOrder = useRef(order)
  latestOrder.current = order
  const actions = useMemo(
    () => ({
      toggle(id: string, isRange: boolean) {
        const anchorId = isRange ? (anchor.current ?? id) : id
        const range = rangeOf(latestOrder.current, anchorId, id)
        anchor.current = id
        setIds((all) => (all.has(id) ? without(all, range) : new Set([...all, ...range])))
      },
      toggleAll: (some: readonly string[]) =>
        setIds((all) => (some.every((id) => all.has(id)) ? without(all, some) : new Set([...all, ...some]))),
      clear: () => setIds(new Set()),
    }),
    [],
  )
  return { has: (id) => ids.has(id), ...actions }
}

const without = (all: ReadonlySet<string>, some: readonly string[]): ReadonlySet<string> =>
  new Set([...all].filter((id) => !some.includes(id)))

/** Returns the ids between both, in either direction; only the second if the first no longer exists. */
function rangeOf(order: readonly string[], one: string, other: string): readonly string[] {
  const [from = -1, to = -1] = [order.indexOf(one), order.indexOf(other)].sort((a, b) => a - b)
  return from === -1 ? [other] : order.slice(from, to + 1)
}
