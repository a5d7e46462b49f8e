import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { byId } from '../../../api/load-all.ts'
import { type Blockers, startsTooEarly } from '../../../data/project-links.ts'
import { inOneLine, t } from '../../../texts/text.ts'
import { directionSign } from '../../../ui/viewport.ts'
import type { ProjectScope } from '../name-lookup.ts'

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
/** The distance from the end of a bar to the place below it where its arrow begins. */
const insetPixels = 8
/** The length of the last part of an arrow, before the start of a bar. */
const stubPixels = 10
const headPixels = 6
const cornerPixels = 6

/**
 * The horizontal ends and the vertical middle of a bar, in pixels from the start and the top of the lanes.
 */
export interface BarPlace {
  readonly start: number
  readonly end: number
  readonly middle: number
}

interface DependencyArrowsProps {
  readonly dependencies: readonly OpenDependency[]
  /** The bars by assignment. Assignments without a bar in the period are missing. */
  readonly places: ReadonlyMap<string, BarPlace>
  /** The top of the first rendered lane and the bottom of the last, in pixels. */
  readonly renderedTop: number
  readonly renderedBottom: number
  readonly rowPixels: number
  readonly width: number
}

/**
 * Draws an arrow from the end of each assignment to the start of each assignment that waits for it, even if a
 * bar is not visible.
 */
export function DependencyArrows({
  dependencies,
  places,
  renderedTop,
  renderedBottom,
  rowPixels,
  width,
}: DependencyArrowsProps) {
  const arrows = useMemo(() => {
    const sign = directionSign()
    const layout: Layout = {
      rowPixels,
      xOf: (fromStart) => (sign > 0 ? fromStart : width - fromStart),
      sign,
    }
    return dependencies
      .flatMap(({ id, blockerId, isTooEarly }) => {
        const [blocker, blocked] = [places.get(blockerId), places.get(id)]
        if (blocker === undefined || blocked === undefined) return []
        const [top, bottom] = [blocker.middle, blocked.middle].sort((a, b) => a - b)
        return (bottom ?? 0) < renderedTop || (top ?? 0) > renderedBottom
          ? []
          : [{ id, blockerId, isTooEarly, ...arrowOf(blocker, blocked, layout) }]
      })
      .slice(0, arrowsMax)
  }, [dependencies, places, renderedTop, renderedBottom, rowPixels, width])
  return (
    <svg class="dependency-arrows" aria-hidden="true" focusable="false">
      {arrows.map(({ id, blockerId, isTooEarly, line, head }) => (
        <g key={`${blockerId} ${id}`} class={isTooEarly ? 'too-early' : ''}>
          <path class="arrow-line" d={line} />
          <path class="arrow-head" d={head} />
        </g>
      ))}
    </svg>
  )
}

/**
 * Calculates the paths of an arrow. It leaves a bar at its lower or upper edge, follows the gap between two
 * rows, where there are no names, and crosses other rows only just before the bar that waits.
 */
function arrowOf(from: BarPlace, to: BarPlace, { rowPixels, xOf, sign }: Layout) {
  const leaving = xOf(Math.max((from.start + from.end) / 2, from.end - insetPixels))
  const arriving = xOf(to.start)
  const before = arriving - sign * stubPixels
  const gap = from.middle + ((to.middle < from.middle ? -1 : 1) * rowPixels) / 2
  return {
    line: roundedPath([
      [leaving, from.middle],
      [leaving, gap],
      [before, gap],
      [before, to.middle],
      [arriving, to.middle],
    ]),
    head: `M${arriving} ${to.middle}l${-sign * headPixels} -4v8z`,
  }
}

interface Layout {
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
