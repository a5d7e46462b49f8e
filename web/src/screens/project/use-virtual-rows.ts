import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { useStableCallback } from '../../ui/use-stable-callback.ts'

interface Identified {
  readonly id: string
}

interface RowWindow {
  /** The rows from `from` to `end - 1` are near the visible part. */
  readonly from: number
  readonly end: number
  readonly scroller: { current: HTMLDivElement | null }
  onScroll(): void
  /** Scrolls to the row. */
  reveal(index: number): void
}

/**
 * Rows this close to the visible part are rendered as well, so that scrolling shows no gap. If most rows are
 * new, the first frame renders only the visible ones, so that it appears soon.
 */
const overscanPixels = 600
/** The rendered rows change after every scroll of this many pixels. */
const stepPixels = 200
/** The rendered rows change when the height changes by this many pixels. */
const resizePixels = 50

/**
 * Returns which rows of a scrolling list are near its visible part. `ends` are the positions in pixels where
 * the rows end. With a short `step`, a scroll causes many small updates instead of a few large ones.
 */
export function useRowWindow(
  rows: readonly Identified[],
  ends: readonly number[],
  { step = stepPixels, overscan = overscanPixels } = {},
): RowWindow {
  const scroller = useRef<HTMLDivElement>(null)
  const [viewport, setViewport] = useState({ top: 0, bottom: innerHeight })
  const rangeNear = (distance: number) => ({
    from: countLeading(ends, (pixels) => pixels < viewport.top - distance),
    end: Math.min(ends.length, 1 + countLeading(ends, (pixels) => pixels < viewport.bottom + distance)),
  })
  const renderedIds = useRef<ReadonlySet<string>>(new Set())
  const visible = rangeNear(0)
  const visibleRows = rows.slice(visible.from, visible.end)
  // True after a change of the order, for example.
  const isNew = visibleRows.filter(({ id }) => !renderedIds.current.has(id)).length > visibleRows.length / 2
  const { from, end } = isNew ? visible : rangeNear(overscan)
  const [, renderAgain] = useReducer((count: number) => count + 1, 0)
  useLayoutEffect(() => {
    renderedIds.current = new Set(rows.slice(from, end).map(({ id }) => id))
  }, [rows, from, end])
  useEffect(() => {
    if (isNew) renderAgain(undefined)
  })
  const onScroll = () => {
    const element = scroller.current
    if (element === null) return
    const { scrollTop: top, clientHeight } = element
    const heightBefore = viewport.bottom - viewport.top
    if (Math.abs(top - viewport.top) > step || Math.abs(clientHeight - heightBefore) > resizePixels)
      setViewport({ top, bottom: top + clientHeight })
  }
  const update = useStableCallback(onScroll)
  useLayoutEffect(() => {
    update()
    // A larger window shows more rows.
    const observer = new ResizeObserver(update)
    if (scroller.current !== null) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [])
  return {
    from,
    end,
    scroller,
    onScroll,
    reveal(index) {
      const top = ends[index - 1] ?? 0
      const element = scroller.current
      if (index < 0 || element === null) return
      if (top < element.scrollTop || (ends[index] ?? 0) > element.scrollTop + element.clientHeight)
        element.scrollTop = top - element.clientHeight / 3
      onScroll()
    },
  }
}

interface VirtualRows<Row> extends Pick<RowWindow, 'scroller' | 'onScroll'> {
  /** The rows near the visible part. */
  readonly rendered: readonly Row[]
  /** The heights in pixels of all rows before and after the rendered rows. */
  readonly pixelsBefore: number
  readonly pixelsAfter: number
  /** Scrolls to the row. Its position is an estimate until the rows above it were measured. */
  reveal(id: string): void
}

/** Rendering this many rows costs less than measuring them. */
const renderAllMax = 40

/**
 * Renders only the rows near the visible part of a scrolling list. Rows are the children with `data-row`. A
 * row is measured when it is rendered.
 */
export function useVirtualRows<Row extends Identified>(
  rows: readonly Row[],
  estimatedPixels: number,
): VirtualRows<Row> {
  const heights = useRef(new Map<string, number>())
  const [measuredRevision, setMeasuredRevision] = useState(0)
  const ends = useMemo(() => {
    let sum = 0
    return rows.map(({ id }) => {
      sum += heights.current.get(id) ?? estimatedPixels
      return sum
    })
  }, [rows, measuredRevision, estimatedPixels])
  const rendersAll = rows.length <= renderAllMax
  const rowWindow = useRowWindow(rows, ends, { overscan: rendersAll ? Infinity : overscanPixels })
  const { from, end, scroller } = rowWindow
  const measure = useStableCallback(() => {
    rowWindow.onScroll()
    if (rendersAll) return
    let isChanged = false
    for (const element of scroller.current?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
      const { row: id = '' } = element.dataset
      const height = element.offsetHeight + gapOf(element)
      if (heights.current.get(id) === height) continue
      heights.current.set(id, height)
      isChanged = true
    }
    if (isChanged) setMeasuredRevision((revision) => revision + 1)
  })
  useLayoutEffect(measure, [rows, from, end])
  useLayoutEffect(() => {
    // Rows are higher in a narrower window.
    const observer = new ResizeObserver(measure)
    if (scroller.current !== null) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [])
  return {
    rendered: rows.slice(from, end),
    pixelsBefore: ends[from - 1] ?? 0,
    pixelsAfter: (ends.at(-1) ?? 0) - (ends[end - 1] ?? 0),
    scroller,
    onScroll: rowWindow.onScroll,
    reveal: (id) => rowWindow.reveal(rows.findIndex((row) => row.id === id)),
  }
}

const gapOf = (element: HTMLElement): number => Number.parseFloat(getComputedStyle(element).marginBottom) || 0

/** Counts the leading numbers that meet the condition, by binary search. */
function countLeading(numbers: readonly number[], condition: (number: number) => boolean): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (condition(numbers[middle] ?? 0)) low = middle + 1
    else high = middle
  }
  return low
}
