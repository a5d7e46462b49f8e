import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { byId } from '../../../api/load-all.ts'
import { type Blockers, startsTooEarly } from '../../../data/project-links.ts'
import { inOneLine, t } from '../../../texts/text.ts'
import { directionSign } from '../../../ui/viewport.ts'
import type { ProjectScope } from '../name-lookup.ts'
import { barMarginPixels } from './person-lane.tsx'

type Assignment = RecordOf<'assignment'>

/** A dependency between two assignments, neither of which is done. */
export interface OpenDependency {
  /** The id of the assignment that waits. */
  readonly id: string
  readonly blockerId: string
  readonly blockerName: string
  readonly isTooEarly: boolean
}

/** Returns the dependencies of the shown assignments, whose dates include changes that are not saved yet. */
export function useOpenDependencies(
  { doneStageIds }: ProjectScope,
  rows: readonly Assignment[],
  blockers: Blockers,
) {
  return useMemo(() => {
    const shown = byId(rows)
    return rows.flatMap((row) =>
      doneStageIds.has(row.workflowId)
        ? []
        : (blockers.get(row.id) ?? []).map(
            (blocker): OpenDependency => ({
              id: row.id,
              blockerId: blocker.id,
              blockerName: blocker.name,
              isTooEarly: startsTooEarly(row, shown.get(blocker.id) ?? blocker),
            }),
          ),
    )
  }, [blockers, rows, doneStageIds])
}

/** Maps each waiting assignment to a line of text with the meaning of its arrows. */
export const waitingTextsOf = (dependencies: readonly OpenDependency[]): ReadonlyMap<string, string> =>
  new Map(
    [...Map.groupBy(dependencies, ({ id }) => id)].map(([id, group]) => [
      id,
      inOneLine(
        ...group.map(({ blockerName, isTooEarly }) =>
          isTooEarly
            ? t('Starts before {name} ends', { name: blockerName })
            : t('Waits for {name}', { name: blockerName }),
        ),
      ),
    ]),
  )

/** More arrows could not be distinguished, and would be slow to draw. */
const arrowsMax = 300
/** The length of the first part of an arrow, after the end of a bar: the name that follows the bar is farther away. */
const exitPixels = barMarginPixels
/** The length of the last part of an arrow, before the start of a bar. */
const stubPixels = 10
const headPixels = 6
const cornerPixels = 6
/** An arrow crosses rows at most so many days before the bar that waits. */
const turnDaysMax = 7

/**
 * The horizontal ends and the vertical middle of a bar, in pixels from the start and the top of the lanes.
 */
export interface BarPlace {
  readonly start: number
  readonly end: number
  readonly middle: number
  /** The horizontal ends of the days that the bar and a name next to it cover. */
  readonly coveredFrom: number
  readonly coveredTo: number
  /** True if the assignment begins before the period. */
  readonly beginsBefore: boolean
  /** True if the assignment ends after the period. */
  readonly endsAfter: boolean
}

export interface Arrow extends OpenDependency {
  /** The bar of the blocker. Undefined if its end is not in the period; the arrow is then a stub before `to`. */
  readonly from: BarPlace | undefined
  readonly to: BarPlace
}

/**
 * Returns the arrows to the bars whose start is in the period. In other bars, an icon says that the assignment
 * waits. `places` has the bars of the period by assignment.
 */
export const arrowsOf = (
  dependencies: readonly OpenDependency[],
  places: ReadonlyMap<string, BarPlace>,
): readonly Arrow[] =>
  dependencies.flatMap((dependency) => {
    const [from, to] = [places.get(dependency.blockerId), places.get(dependency.id)]
    if (to === undefined || to.beginsBefore) return []
    return [{ ...dependency, to, from: from?.endsAfter ? undefined : from }]
  })

/** Returns the ids of the waiting assignments whose arrows all begin at a bar, so that they need no icon. */
export const connectedIdsOf = (arrows: readonly Arrow[]): readonly string[] =>
  [...Map.groupBy(arrows, ({ id }) => id)].flatMap(([id, group]) =>
    group.every(({ from }) => from !== undefined) ? [id] : [],
  )

interface DependencyArrowsProps {
  readonly arrows: readonly Arrow[]
  readonly places: ReadonlyMap<string, BarPlace>
  /** The id of the open assignment. */
  readonly openId: string | undefined
  /** The top of the first rendered lane and the bottom of the last, in pixels. */
  readonly renderedTop: number
  readonly renderedBottom: number
  readonly rowPixels: number
  readonly dayPixels: number
  /** The horizontal ends of the days. */
  readonly start: number
  readonly width: number
}

/**
 * Draws an arrow from the end of each assignment to the start of each assignment that waits for it, even if a
 * bar is not visible. Arrows are behind bars and texts. Those of the bar that is open, focused or under the pointer are
 * thicker.
 */
export function DependencyArrows({
  arrows: all,
  places,
  openId,
  renderedTop,
  renderedBottom,
  rowPixels,
  dayPixels,
  start,
  width,
}: DependencyArrowsProps) {
  const svg = useRef<SVGSVGElement>(null)
  const activeId = useActiveBar(svg)
  const arrows = useMemo(() => {
    const sign = directionSign()
    const layout: Layout = {
      rowPixels,
      dayPixels,
      start,
      places: [...places.values()],
      xOf: (fromStart) => (sign > 0 ? fromStart : width - fromStart),
      sign,
    }
    return all
      .filter(({ from, to }) => {
        const [first, last] = [from?.middle ?? to.middle, to.middle]
        return Math.max(first, last) >= renderedTop && Math.min(first, last) <= renderedBottom
      })
      .slice(0, arrowsMax)
      .map(({ id, blockerId, isTooEarly, from, to }) => ({
        ends: [blockerId, id],
        isTooEarly,
        ...arrowOf(from, to, layout),
      }))
  }, [all, places, renderedTop, renderedBottom, rowPixels, dayPixels, start, width])
  const isActive = (ends: readonly string[]) => ends.some((id) => id === activeId || id === openId)
  return (
    <svg ref={svg} class="dependency-arrows" aria-hidden="true" focusable="false">
      {arrows.map(({ ends, isTooEarly, line, head }) => (
        <g key={ends.join(' ')} class={`${isTooEarly ? 'too-early' : ''} ${isActive(ends) ? 'active' : ''}`}>
          <path class="arrow-line" d={line} />
          <path class="arrow-head" d={head} />
        </g>
      ))}
    </svg>
  )
}

/** Returns the id of the assignment whose bar has the focus or is under the pointer, whichever was last. */
function useActiveBar(svg: { readonly current: SVGSVGElement | null }): string | undefined {
  const [activeId, setActiveId] = useState<string>()
  useEffect(() => {
    const lanes = svg.current?.parentElement
    const onChange = ({ target }: Event) => {
      const bar = target instanceof Element ? target.closest('.bar') : null
      setActiveId(bar?.id.slice('card-'.length))
    }
    const onLeave = () => setActiveId(undefined)
    lanes?.addEventListener('pointerover', onChange)
    lanes?.addEventListener('focusin', onChange)
    lanes?.addEventListener('pointerleave', onLeave)
    return () => {
      lanes?.removeEventListener('pointerover', onChange)
      lanes?.removeEventListener('focusin', onChange)
      lanes?.removeEventListener('pointerleave', onLeave)
    }
  }, [])
  return activeId
}

/**
 * Calculates the paths of an arrow. It leaves a bar at its end, follows the gap between two rows, where there are no
 * names, and crosses other rows before the bar that waits.
 */
function arrowOf(from: BarPlace | undefined, to: BarPlace, layout: Layout) {
  const { rowPixels, xOf, sign } = layout
  const arriving = xOf(to.start)
  const head = `M${arriving} ${to.middle}l${-sign * headPixels} -4v8z`
  if (from === undefined) return { line: `M${xOf(to.start - stubPixels)} ${to.middle}H${arriving}`, head }
  const leaving = xOf(from.end)
  if (from.middle === to.middle && to.start > from.end && to.start - from.end < exitPixels + stubPixels)
    return { line: `M${leaving} ${to.middle}H${arriving}`, head }
  const outside = leaving + sign * exitPixels
  const gap = from.middle + ((to.middle < from.middle ? -1 : 1) * rowPixels) / 2
  const before = xOf(turnOf(gap, to, layout))
  return {
    line: roundedPath([
      [leaving, from.middle],
      [outside, from.middle],
      [outside, gap],
      [before, gap],
      [before, to.middle],
      [arriving, to.middle],
    ]),
    head,
  }
}

/**
 * Returns where an arrow crosses the rows between the gap and the bar that waits: just before that bar, or at an earlier
 * line between days that passes fewer names and bars.
 */
function turnOf(gap: number, to: BarPlace, { dayPixels, start, places }: Layout): number {
  const [top, bottom] = [Math.min(gap, to.middle), Math.max(gap, to.middle)]
  const passed = places.filter(({ middle }) => middle > top && middle < bottom)
  const inRow = places.filter((place) => place.middle === to.middle && place.start < to.start)
  const crossedAt = (x: number) =>
    inRow.filter(({ coveredTo }) => x < coveredTo).length +
    passed.filter(
      ({ end, coveredFrom, coveredTo }) =>
        x > coveredFrom && x < coveredTo && Math.abs(x - end) > barMarginPixels,
    ).length
  const nearest = to.start - stubPixels
  const firstLine = Math.floor((nearest - start) / dayPixels)
  const lines = Array.from(
    { length: Math.min(turnDaysMax, firstLine) },
    (_, index) => start + (firstLine - index) * dayPixels,
  )
  return lines.reduce((best, x) => (crossedAt(x) < crossedAt(best) ? x : best), nearest)
}

interface Layout {
  readonly dayPixels: number
  readonly start: number
  readonly places: readonly BarPlace[]
  /** The height of a row of bars. */
  readonly rowPixels: number
  /** Converts a distance from the start of the lanes to an x coordinate in the picture. */
  xOf(fromStart: number): number
  /** -1 if time passes to the left. */
  readonly sign: number
}

type Point = readonly [x: number, y: number]

/** Returns the path of a line through the points, with rounded corners. */
function roundedPath(points: readonly Point[]): string {
  const towards = ([x, y]: Point, [otherX, otherY]: Point): Point => {
    const distance = Math.hypot(otherX - x, otherY - y)
    const fraction = distance === 0 ? 0 : Math.min(cornerPixels, distance / 2) / distance
    return [x + (otherX - x) * fraction, y + (otherY - y) * fraction]
  }
  const pieces = points.map((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]]
    if (before === undefined) return `M${point.join(' ')}`
    if (after === undefined) return `L${point.join(' ')}`
    return `L${towards(point, before).join(' ')}Q${point.join(' ')} ${towards(point, after).join(' ')}`
  })
  return pieces.join('')
}
