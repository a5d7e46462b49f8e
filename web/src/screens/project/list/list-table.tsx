import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import type { PartCounts } from '../../../data/use-project-parts.ts'
import { useServices } from '../../../services/services.ts'
import { t, tn } from '../../../texts/text.ts'
import { formatHours, sumHours } from '../../../time/hours.ts'
import { Icon } from '../../../ui/icon.tsx'
import { logicalArrowKey } from '../../../ui/text-direction.ts'
import { useMedia } from '../../../ui/use-media.ts'
import { useRowWindow } from '../use-virtual-rows.ts'
import type { NameLookup, ProjectViewProps } from '../view-props.ts'
import { CellEditor, cellOf } from './cell-editor.tsx'
import { type Column, type Line, type SortOrder, toggleSort } from './list-columns.ts'
import { cellClassOf, cellIcons, cellMarks, ListRow } from './list-row.tsx'
import type { Selection } from './use-selection.ts'

type Assignment = RecordOf<'assignment'>

export interface ListTableProps extends Pick<ProjectViewProps, 'scope' | 'openId' | 'query'> {
  readonly lines: readonly Line[]
  readonly rows: readonly Assignment[]
  readonly columns: readonly Column[]
  readonly order: SortOrder
  readonly names: NameLookup
  readonly parts: PartCounts
  readonly selection: Selection
  readonly isStale: boolean
  onSaved(row: Assignment): void
}

/**
 * A grid whose head and group lines stay in place. All lines have one height, so only those near the visible
 * part are rendered, each at its place: a line that scrolls into view lays out nothing but itself.
 */
export function ListTable(props: ListTableProps) {
  const { lines, columns, scope, openId, names, selection, isStale, onSaved } = props
  const probe = useRef<HTMLDivElement>(null)
  const linePixels = useHeightOf(probe)
  const ends = useMemo(() => lines.map((_, index) => (index + 1) * linePixels), [lines, linePixels])
  const near = useRowWindow(ends, stepPixels)
  const sections = useMemo(() => sectionsOf(lines), [lines])
  const editing = useEditing(columns)
  const edited = editing.id === undefined ? undefined : lines.find(({ id }) => id === editing.id)
  const head = useMemo(() => <ListHead {...props} />, [props])
  const rowOf = useRowElements(props, linePixels)
  useEffect(
    () => (openId === undefined ? undefined : near.reveal(lines.findIndex(({ id }) => id === openId))),
    [openId],
  )
  return (
    <section
      class="list-scroll"
      aria-label={t('Assignments')}
      aria-busy={isStale}
      ref={near.scroller}
      onScroll={near.onScroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
      tabIndex={0}
    >
      <div ref={probe} class="list-probe" />
      {/* biome-ignore lint/a11y/useSemanticElements: the browser would lay out the whole table for each line */}
      <div
        class="list"
        role="grid"
        aria-label={t('Assignments')}
        aria-rowcount={lines.length + 1}
        tabIndex={-1}
        onClick={editing.onClick}
        onKeyDown={editing.onKeyDown}
      >
        {head}
        {sections.map(({ group, first, end }) => (
          // biome-ignore lint/a11y/useSemanticElements: see the grid
          <div
            key={group?.id ?? ''}
            role="rowgroup"
            class="list-section"
            style={{ height: `${(end - first) * linePixels}px` }}
          >
            {group && first < near.end && end > near.from && (
              <GroupLine line={group} index={first + 2} names={names} selection={selection} />
            )}
            {lines
              .slice(Math.max(first, near.from), Math.min(end, near.end))
              .map((line, index) => rowOf(line, Math.max(first, near.from) + index, first))}
          </div>
        ))}
      </div>
      {editing.column && edited && 'row' in edited && (
        <CellEditor
          key={`${editing.id} ${editing.column.name}`}
          row={edited.row}
          column={editing.column}
          scope={scope}
          names={names}
          onSaved={onSaved}
          onClose={editing.close}
        />
      )}
    </section>
  )
}

/** Two lines, so that one update has few new ones. */
const stepPixels = 80

/**
 * Returns the elements of lines. As long as the list is the same, so are they: while it scrolls, only lines
 * that come into view are rendered. Group lines are drawn by their sections.
 */
function useRowElements(props: ListTableProps, linePixels: number) {
  const { columns, scope, openId, query, names, parts, selection } = props
  const isNarrow = useMedia('(max-width: 760px)')
  const elements = useMemo(() => new Map<string, VNode>(), [props, linePixels, isNarrow])
  return (line: Line, index: number, first: number): VNode | null => {
    if (!('row' in line)) return null
    const known = elements.get(line.id)
    if (known !== undefined) return known
    const element = (
      <ListRow
        key={line.id}
        row={line.row}
        parent={line.parent}
        depth={line.depth ?? 0}
        parts={parts.get(line.id)}
        index={index + 2}
        top={(index - first) * linePixels}
        columns={columns}
        names={names}
        isDone={scope.doneIds.has(line.row.workflowId)}
        isOpen={line.id === openId}
        isSelected={selection.has(line.id)}
        isNarrow={isNarrow}
        query={query}
        onSelect={selection.toggle}
      />
    )
    elements.set(line.id, element)
    return element
  }
}

/** Returns the height of an element whose class has that of a line: it follows the density and the size of letters. */
function useHeightOf(element: { readonly current: HTMLElement | null }): number {
  const [pixels, setPixels] = useState(40)
  useLayoutEffect(() => {
    const measure = () => setPixels(element.current?.getBoundingClientRect().height ?? 40)
    measure()
    const observer = new ResizeObserver(measure)
    if (element.current !== null) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return pixels
}

interface Section {
  readonly group: GroupLineProps['line'] | undefined
  /** The index of its first line, which is that of the group, and of the line after its last one. */
  readonly first: number
  readonly end: number
}

/** Each group is one section, in which its line stays in place; without groups all lines are one. */
function sectionsOf(lines: readonly Line[]): readonly Section[] {
  const starts = lines.flatMap((line, index) => ('row' in line ? [] : [{ group: line, first: index }]))
  if (starts.length === 0) return [{ group: undefined, first: 0, end: lines.length }]
  return starts.map((start, index) => ({ ...start, end: starts[index + 1]?.first ?? lines.length }))
}

function ListHead({ rows, columns, order, selection }: ListTableProps) {
  const { router } = useServices()
  const ids = useMemo(() => rows.map(({ id }) => id), [rows])
  const count = ids.filter(selection.has).length
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see the grid
    // biome-ignore-start lint/a11y/useFocusableInteractive: the button within takes the focus
    <div role="rowgroup" class="list-head">
      <div role="row" aria-rowindex={1} class="list-line">
        <span role="columnheader" class="list-check">
          <label>
            <input
              type="checkbox"
              aria-label={t('Select all')}
              checked={count > 0 && count === ids.length}
              indeterminate={count > 0 && count < ids.length}
              onClick={() => selection.toggleAll(ids)}
            />
          </label>
        </span>
        {columns.map((column) => (
          <span
            key={column.name}
            role="columnheader"
            class={cellClassOf(column)}
            aria-sort={ariaSortOf(order, column)}
          >
            <button
              type="button"
              class="sort-button"
              title={cellIcons[column.name] && t(column.label)}
              onClick={() => router.setQuery({ sort: toggleSort(order, column.name) })}
            >
              <ColumnLabel column={column} />
              {order.column === column && <Icon name={order.isDescending ? 'down' : 'up'} />}
            </button>
          </span>
        ))}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see the grid
    // biome-ignore-end lint/a11y/useFocusableInteractive: the button within takes the focus
  )
}

function ColumnLabel({ column: { name, label } }: { readonly column: Column }) {
  const icon = cellIcons[name]
  return (
    <>
      {icon && <Icon name={icon} />}
      <span class={icon && 'visually-hidden'}>{t(label)}</span>
    </>
  )
}

function ariaSortOf({ column, isDescending }: SortOrder, one: Column) {
  if (column !== one) return undefined
  return isDescending ? 'descending' : 'ascending'
}

interface GroupLineProps {
  readonly line: Extract<Line, { readonly title: string }>
  readonly index: number
  readonly names: NameLookup
  readonly selection: Selection
}

const GroupLine = ({ line: { title, grouping, rows }, index, names, selection }: GroupLineProps) => (
  // biome-ignore-start lint/a11y/useSemanticElements: see the grid
  // biome-ignore-start lint/a11y/useFocusableInteractive: the checkbox within takes the focus
  <div role="row" aria-rowindex={index} class="list-line list-group">
    <span role="gridcell" class="list-check">
      <label>
        <input
          type="checkbox"
          aria-label={t('Select all of {group}', { group: title })}
          checked={rows.every((row) => selection.has(row.id))}
          onClick={() => selection.toggleAll(rows.map((row) => row.id))}
        />
      </label>
    </span>
    <span role="rowheader">
      {rows[0] && cellMarks[grouping]?.(rows[0], names)}
      <strong dir="auto">{title}</strong>{' '}
      <span class="quiet-text">
        {tn(rows.length, '1 assignment', '{count} assignments')} · {formatHours(sumHours(rows))}
      </span>
    </span>
  </div>
  // biome-ignore-end lint/a11y/useSemanticElements: see the grid
  // biome-ignore-end lint/a11y/useFocusableInteractive: the checkbox within takes the focus
)

interface EditedCell {
  readonly id: string
  readonly column: Column
}

/** Arrows move between cells and names; a click, Enter or F2 edits a cell. All cells share these listeners. */
function useEditing(columns: readonly Column[]) {
  const [edited, setEdited] = useState<EditedCell>()
  const edit = (cell: HTMLElement | null | undefined): boolean => {
    const column = columns.find(({ name, edits }) => edits && name === cell?.dataset.column)
    const id = cell?.closest<HTMLElement>('[data-row]')?.dataset.row
    if (column === undefined || id === undefined) return false
    setEdited({ id, column })
    return true
  }
  return {
    id: edited?.id,
    column: edited?.column,
    onClick({ target }: MouseEvent) {
      if (target instanceof Element && !target.closest('a, button, label'))
        edit(target.closest('[data-column]'))
    },
    onKeyDown(event: KeyboardEvent) {
      const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-column]') : null
      if (cell === null) return
      const isHandled =
        editingKeys.has(event.key) && event.target === cell ? edit(cell) : moveFocus(event, cell)
      if (isHandled) event.preventDefault()
    },
    close({ returnsFocus }: { readonly returnsFocus: boolean }) {
      if (returnsFocus && edited) focusCell(cellOf(edited.id, edited.column.name))
      setEdited(undefined)
    },
  }
}

const editingKeys: ReadonlySet<string> = new Set(['Enter', 'F2', ' '])
const rowSteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
const columnSteps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

/** The focus of a name is that of its link. */
function focusCell(cell: HTMLElement | null | undefined): boolean {
  if (!cell) return false
  const target = cell.querySelector<HTMLElement>('.list-link') ?? cell
  if (target === cell) cell.tabIndex = -1
  target.focus()
  return true
}

function moveFocus(event: KeyboardEvent, cell: HTMLElement): boolean {
  const [up, across] = [rowSteps[event.key], columnSteps[logicalArrowKey(event)]]
  const row = cell.closest('.list-row')
  if (row === null) return false
  if (across !== undefined) {
    const cells = [...row.querySelectorAll<HTMLElement>('[data-column]')]
    return focusCell(cells[cells.indexOf(cell) + across])
  }
  if (up === undefined) return false
  const rows = [...(row.closest('.list')?.querySelectorAll('.list-row') ?? [])]
  const next = rows[rows.indexOf(row) + up]
  return focusCell(next?.querySelector<HTMLElement>(`[data-column="${cell.dataset.column}"]`))
}
