import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { useShownRows } from '../../../assignment/panel-frame.tsx'
import { useRecordedHours } from '../../../assignment/use-recorded-hours.ts'
import type { PartCounts } from '../../../data/project-links.ts'
import { useServices } from '../../../services/services.ts'
import { t, tn } from '../../../texts/text.ts'
import { formatHours, sumHours } from '../../../time/hours.ts'
import { Icon, IconButton } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { logicalArrowKey, narrow, useMedia } from '../../../ui/viewport.ts'
import type { NameLookup } from '../name-lookup.ts'
import type { ProjectViewProps } from '../project-view.tsx'
import { useRowWindow } from '../use-virtual-rows.ts'
import { availableColumns, type Column, type SortOrder, toggleSort } from './list-columns.ts'
import type { FoldedGroups, GroupValues, Line } from './list-lines.ts'
import { cellClassOf, cellIcons, cellMarks, ListRow } from './list-row.tsx'
import type { Selection } from './selection.tsx'

type Assignment = RecordOf<'assignment'>

interface ListTableProps extends Pick<ProjectViewProps, 'scope' | 'openId' | 'query'> {
  readonly lines: readonly Line[]
  readonly rows: readonly Assignment[]
  readonly columns: readonly Column[]
  readonly order: SortOrder
  readonly names: NameLookup
  readonly parts: PartCounts
  readonly selection: Selection
  readonly folded: FoldedGroups
  /** Creates an assignment with the values of a group. */
  onAdd(values: GroupValues): void
  readonly isStale: boolean
}

/**
 * Shows a grid with a head and group lines that stay in place. All rows have the same height, so that only
 * rows near the visible part need to be rendered. They have absolute positions, so that a new line does not
 * move the others.
 */
export function ListTable(props: ListTableProps) {
  const { lines, openId, isStale } = props
  // The style sheet changes the layout of a row at the same width.
  const isNarrow = useMedia(narrow)
  const rowProbe = useRef<HTMLDivElement>(null)
  const groupProbe = useRef<HTMLDivElement>(null)
  const [rowPixels, groupPixels] = [useHeightOf(rowProbe), useHeightOf(groupProbe)]
  const ends = useMemo(() => {
    let sum = 0
    return lines.map((line) => {
      sum += 'row' in line ? rowPixels : groupPixels
      return sum
    })
  }, [lines, rowPixels, groupPixels])
  const rowWindow = useRowWindow(lines, ends, { step: stepPixels })
  const shown = useMemo(() => lines.filter((line) => 'row' in line), [lines])
  useShownRows(shown)
  const onKeyDown = useGridKeys(lines, shown, rowPixels, rowWindow)
  const sections = useMemo(() => sectionsOf(lines), [lines])
  const [isSelecting, setSelecting] = useState(false)
  const head = useMemo(
    () => <ListHead {...props} {...{ isNarrow, isSelecting, setSelecting }} />,
    [props, isNarrow, isSelecting],
  )
  const rowOf = useRowElements(props, isNarrow, ends)
  useEffect(
    () => (openId === undefined ? undefined : rowWindow.reveal(lines.findIndex(({ id }) => id === openId))),
    [openId],
  )
  return (
    <section
      class={`list-scroll ${new URLSearchParams(props.query).has('columns') ? '' : 'usual-columns'} ${isSelecting ? 'selecting' : ''}`}
      aria-label={t('Assignments')}
      aria-busy={isStale}
      ref={rowWindow.scroller}
      onScroll={rowWindow.onScroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <div ref={rowProbe} class="list-probe" />
      <div ref={groupProbe} class="list-group-probe" />
      {/* biome-ignore lint/a11y/useSemanticElements: the browser would lay out the whole table for each line */}
      <div
        class="list"
        role="grid"
        aria-label={t('Assignments')}
        aria-rowcount={lines.length + 1}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        {head}
        {sections.map(({ group, first, end }) => (
          // biome-ignore lint/a11y/useSemanticElements: see the grid
          <div
            key={group?.id ?? ''}
            role="rowgroup"
            class="list-section"
            style={{ height: `${(ends[end - 1] ?? 0) - (ends[first - 1] ?? 0)}px` }}
          >
            {group && first < rowWindow.end && end > rowWindow.from && (
              <GroupLine {...props} line={group} ariaIndex={first + 2} isNarrow={isNarrow} />
            )}
            {lines
              .slice(Math.max(first, rowWindow.from), Math.min(end, rowWindow.end))
              .map((line, index) => rowOf(line, Math.max(first, rowWindow.from) + index, first))}
          </div>
        ))}
      </div>
    </section>
  )
}

/** About the height of two lines, so that each update while scrolling renders few new lines. */
const stepPixels = 80

/**
 * Returns a function that renders a line. The elements are cached until the list changes, so scrolling
 * renders only lines that come into view. Sections render the group lines.
 */
function useRowElements(props: ListTableProps, isNarrow: boolean, ends: readonly number[]) {
  const { columns, scope, openId, query, names, parts, selection } = props
  const hasHours = columns.some(({ name }) => name === 'hours')
  const recorded = useRecordedHours(scope, hasHours)
  const elements = useMemo(() => new Map<string, VNode>(), [props, recorded, ends, isNarrow])
  return (line: Line, index: number, first: number): VNode | null => {
    if (!('row' in line)) return null
    const cached = elements.get(line.id)
    if (cached !== undefined) return cached
    const element = (
      <ListRow
        key={line.id}
        row={line.row}
        parent={line.parent}
        depth={line.depth ?? 0}
        parts={parts.get(line.id)}
        recorded={recorded.get(line.id)}
        ariaIndex={index + 2}
        top={(ends[index - 1] ?? 0) - (ends[first - 1] ?? 0)}
        columns={columns}
        names={names}
        isDone={scope.doneStageIds.has(line.row.workflowId)}
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

/**
 * Returns the height of an element. A hidden probe has the height of a line, which depends on the font size
 * and the width of the window.
 */
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
  /** The index of its first line. With groups, this is the group line. */
  readonly first: number
  /** The index after its last line. */
  readonly end: number
}

/**
 * Returns a section per group, in which the group line stays in place, or one section if there are no groups.
 */
function sectionsOf(lines: readonly Line[]): readonly Section[] {
  const starts = lines.flatMap((line, index) => ('row' in line ? [] : [{ group: line, first: index }]))
  if (starts.length === 0) return [{ group: undefined, first: 0, end: lines.length }]
  return starts.map((start, index) => ({ ...start, end: starts[index + 1]?.first ?? lines.length }))
}

interface ListHeadProps extends ListTableProps {
  readonly isNarrow: boolean
  /** True if the user has asked for the boxes. Narrow windows hide them otherwise. */
  readonly isSelecting: boolean
  setSelecting(isSelecting: boolean): void
}

function ListHead(props: ListHeadProps) {
  const { rows, columns, order, selection, isNarrow } = props
  const { router } = useServices()
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see the grid
    // biome-ignore-start lint/a11y/useFocusableInteractive: the button within takes the focus
    <div role="rowgroup" class="list-head">
      <div role="row" aria-rowindex={1} class="list-line">
        <span role="columnheader" class="list-check">
          <SelectAll label={t('Select all')} rows={rows} selection={selection} />
        </span>
        {isNarrow ? (
          <span role="columnheader" class="list-name">
            <NarrowHead {...props} />
          </span>
        ) : (
          columns.map((column) => (
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
          ))
        )}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see the grid
    // biome-ignore-end lint/a11y/useFocusableInteractive: the button within takes the focus
  )
}

/**
 * Shows the number of rows, a button that shows the boxes, and a menu to sort the rows, because a narrow list has
 * no column headers.
 */
function NarrowHead({ rows, order, isSelecting, setSelecting }: ListHeadProps) {
  const { configuration, router } = useServices()
  const arrow = <Icon name={order.isDescending ? 'down' : 'up'} />
  return (
    <>
      <span class="list-count">{countText(rows)}</span>
      <button
        type="button"
        class="button quiet list-select"
        aria-pressed={isSelecting}
        onClick={() => setSelecting(!isSelecting)}
      >
        {t('Select')}
      </button>
      <Menu
        class="button quiet list-sort"
        label={t('Sorted by {column}', { column: t(order.column.label) })}
        items={availableColumns(configuration).map((column) => ({
          label: t(column.label),
          mark: <span class="list-sort-mark">{column === order.column && arrow}</span>,
          isCurrent: column === order.column,
          run: () => router.setQuery({ sort: toggleSort(order, column.name) }),
        }))}
      >
        <span>{t(order.column.label)}</span>
        {arrow}
      </Menu>
    </>
  )
}

interface SelectAllProps extends Pick<ListTableProps, 'rows' | 'selection'> {
  readonly label: string
}

/** Selects all rows or none. The box is mixed while only some are selected. */
function SelectAll({ label, rows, selection }: SelectAllProps) {
  const ids = useMemo(() => rows.map(({ id }) => id), [rows])
  const count = ids.filter(selection.has).length
  return (
    <label>
      <input
        type="checkbox"
        aria-label={label}
        checked={count > 0 && count === ids.length}
        indeterminate={count > 0 && count < ids.length}
        onClick={() => selection.toggleAll(ids)}
      />
    </label>
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

function ariaSortOf(order: SortOrder, column: Column) {
  if (order.column !== column) return undefined
  return order.isDescending ? 'descending' : 'ascending'
}

interface GroupLineProps extends Pick<ListTableProps, 'names' | 'selection' | 'folded' | 'onAdd'> {
  readonly line: Extract<Line, { readonly title: string }>
  /** The position in the grid, counted from 1 for the head. */
  readonly ariaIndex: number
  readonly isNarrow: boolean
}

function GroupLine({ line, ariaIndex, names, selection, folded, isNarrow, onAdd }: GroupLineProps) {
  const { id, title, grouping, newValues, rows } = line
  const isFolded = folded.has(id)
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see the grid
    // biome-ignore-start lint/a11y/useFocusableInteractive: the checkbox within takes the focus
    <div role="row" aria-rowindex={ariaIndex} class="list-line list-group">
      <span role="gridcell" class="list-check">
        <SelectAll label={t('Select all of {group}', { group: title })} rows={rows} selection={selection} />
      </span>
      <span role="rowheader">
        <button type="button" class="group-fold" aria-expanded={!isFolded} onClick={() => folded.toggle(id)}>
          <Icon name={isFolded ? 'right' : 'down'} />
          {rows[0] && cellMarks[grouping]?.(rows[0], names)}
          <strong dir="auto">{title}</strong>
        </button>
        <span class="quiet-text">
          {isNarrow && <span aria-hidden="true">{rows.length}</span>}
          <span class={isNarrow ? 'visually-hidden' : undefined}>{countText(rows)}</span>
        </span>
        {newValues && (
          <IconButton
            icon="plus"
            label={t('New assignment in {stage}', { stage: title })}
            run={() => onAdd(newValues)}
          />
        )}
      </span>
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see the grid
    // biome-ignore-end lint/a11y/useFocusableInteractive: the checkbox within takes the focus
  )
}

export const countText = (rows: readonly { readonly amountHours: number }[]): string =>
  `${tn(rows.length, '1 assignment', '{count} assignments')} · ${formatHours(sumHours(rows))}`

const editingKeys: ReadonlySet<string> = new Set(['Enter', 'F2', ' '])
const columnSteps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }
const rowSteps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}
const pageSteps: Readonly<Record<string, number>> = { PageDown: 1, PageUp: -1 }
/** The head covers a line, and a page begins with the last row of the page before it. */
const keptLines = 2

/**
 * Returns a listener: arrow keys move between cells, and the keys for the ends and for pages between rows of a column,
 * except in a name that is edited. Enter, F2 and Space do what a click on the cell does: choose its value.
 */
function useGridKeys(
  lines: readonly Line[],
  shown: readonly Line[],
  rowPixels: number,
  { scroller, reveal }: ReturnType<typeof useRowWindow>,
) {
  const wanted = useRef<string>(undefined)
  const focusAt = (selector: string) => focusCell(scroller.current?.querySelector<HTMLElement>(selector))
  useLayoutEffect(() => {
    // The update that renders the row of the cell may remove the focused row.
    if (wanted.current) focusAt(wanted.current)
    wanted.current = undefined
  })
  const moveToRow = (step: number, { dataset, parentElement }: HTMLElement): boolean => {
    const index = shown.findIndex(({ id }) => id === parentElement?.dataset.row)
    const next = shown[Math.max(0, Math.min(index + step, shown.length - 1))]
    if (next === undefined) return false
    const selector = `[data-row="${next.id}"] > [data-column="${dataset.column}"]`
    if (focusAt(selector)) return true
    wanted.current = selector
    reveal(lines.indexOf(next))
    return true
  }
  const moveFocus = (event: KeyboardEvent, cell: HTMLElement): boolean => {
    const columnStep = columnSteps[logicalArrowKey(event)]
    if (columnStep !== undefined) return moveToColumn(columnStep, cell)
    const pageRows = Math.floor((scroller.current?.clientHeight ?? 0) / rowPixels) - keptLines
    const step = rowSteps[event.key] ?? (pageSteps[event.key] ?? 0) * Math.max(1, pageRows)
    return step !== 0 && moveToRow(step, cell)
  }
  return (event: KeyboardEvent): void => {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-column]') : null
    if (cell === null || event.target instanceof HTMLInputElement) return
    const opensValues =
      editingKeys.has(event.key) && event.target === cell && cell.dataset.field !== undefined
    if (opensValues) cell.click()
    if (opensValues || moveFocus(event, cell)) event.preventDefault()
  }
}

function moveToColumn(step: number, cell: HTMLElement): boolean {
  // The style sheet hides some columns if there is no room for them.
  const cells = [...(cell.parentElement?.querySelectorAll<HTMLElement>('[data-column]') ?? [])].filter(
    (one) => one.checkVisibility(),
  )
  return focusCell(cells[cells.indexOf(cell) + step])
}

/** Focuses a cell, or the link in it. */
function focusCell(cell: HTMLElement | null | undefined): boolean {
  if (!cell) return false
  const target = cell.querySelector<HTMLElement>('.list-link') ?? cell
  if (target === cell) cell.tabIndex = -1
  target.focus()
  return true
}
