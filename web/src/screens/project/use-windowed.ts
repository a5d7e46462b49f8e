import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useFollowedRows } from '../../data/use-followed-rows.ts'
import { queryOfFilters } from './filters.ts'
import { useReschedule } from './use-reschedule.ts'
import type { ProjectViewProps } from './view-names.ts'

export interface Windowed<Row> {
  /** The rows near the view. */
  readonly drawn: readonly Row[]
  /** The height of the rows before and after them, in pixels. */
  readonly before: number
  readonly behind: number
  /** The scrolling element, whose children with `data-row` are the rows. */
  readonly scroller: { current: HTMLDivElement | null }
  onScroll(): void
  /** Scrolls until the row is rendered and visible. */
  reveal(id: string): void
}

/** Rendered beyond the view, so that scrolling finds them. */
const beyondPixels = 700
/** Rendering few rows costs less than measuring them. */
const rowsDrawnAlways = 40

/** Renders only the rows near the view of a scrolling column; each row is measured once it was rendered. */
export function useWindowed<Row extends { readonly id: string }>(
  rows: readonly Row[],
  estimatePixels: number,
): Windowed<Row> {
  const scroller = useRef<HTMLDivElement>(null)
  const heights = useRef(new Map<string, number>())
  const [measured, setMeasured] = useState(0)
  const [view, setView] = useState({ top: 0, bottom: 1000 })
  const ends = useMemo(() => {
    let end = 0
    return rows.map(({ id }) => {
      end += heights.current.get(id) ?? estimatePixels
      return end
    })
  }, [rows, measured, estimatePixels])
  const isAll = rows.length <= rowsDrawnAlways
  const from = isAll ? 0 : countWhere(ends, (end) => end < view.top - beyondPixels)
  const to = isAll ? rows.length : 1 + countWhere(ends, (end) => end < view.bottom + beyondPixels)
  const onScroll = () => {
    const element = scroller.current
    if (element === null) return
    const { scrollTop: top, clientHeight } = element
    // A few pixels change nothing that is drawn.
    if (Math.abs(top - view.top) > beyondPixels / 3 || Math.abs(clientHeight - (view.bottom - view.top)) > 50)
      setView({ top, bottom: top + clientHeight })
  }
  useLayoutEffect(() => {
    onScroll()
    if (isAll) return
    let isChanged = false
    for (const element of scroller.current?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
      const { row: id = '' } = element.dataset
      const height = element.offsetHeight + gapOf(element)
      if (heights.current.get(id) === height) continue
      heights.current.set(id, height)
      isChanged = true
    }
    if (isChanged) setMeasured((count) => count + 1)
  }, [rows, from, to])
  return {
    drawn: rows.slice(from, to),
    before: ends[from - 1] ?? 0,
    behind: (ends.at(-1) ?? 0) - (ends[Math.min(to, rows.length) - 1] ?? 0),
    scroller,
    onScroll,
    reveal(id) {
      const index = rows.findIndex((row) => row.id === id)
      const top = ends[index - 1] ?? 0
      const element = scroller.current
      if (index < 0 || element === null) return
      if (top < element.scrollTop || (ends[index] ?? 0) > element.scrollTop + element.clientHeight)
        element.scrollTop = top - element.clientHeight / 3
      onScroll()
    },
  }
}

const gapOf = (element: HTMLElement): number => Number.parseFloat(getComputedStyle(element).marginBottom) || 0

/** Counts the increasing numbers before the first for which the condition is false. */
function countWhere(numbers: readonly number[], holds: (number: number) => boolean): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(numbers[middle] ?? 0)) low = middle + 1
    else high = middle
  }
  return low
}

/** The assignments that touch a period, including the days of changes in progress. */
export function useWindowRows(
  { scope, filters, onConnection }: ProjectViewProps,
  dateFrom: string,
  dateTo: string,
) {
  const { search, userId } = queryOfFilters(filters)
  const found = useFollowedRows(
    { projectId: scope.projectId, search, userId, dateFrom, dateTo },
    { firstPageAtOnce: false },
  )
  useEffect(() => onConnection(found.connection), [found.connection])
  return { ...found, ...useReschedule(found.rows, found.put) }
}

/** Returns the same function for the life of the component, so that memoized children are not rendered again. */
export function useLatest<Arguments extends unknown[]>(run: (...given: Arguments) => void) {
  const latest = useRef(run)
  latest.current = run
  return useMemo(
    () =>
      (...given: Arguments) =>
        latest.current(...given),
    [],
  )
}
