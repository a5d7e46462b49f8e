import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { byId } from '../../../api/load-all.ts'
import { type Blockers, startsTooEarly } from '../../../data/use-project-dependencies.ts'
import { inOneLine, t } from '../../../texts/text.ts'
import { directionSign } from '../../../ui/text-direction.ts'
import type { ProjectViewProps } from '../view-props.ts'

type Assignment = RecordOf<'assignment'>

/** A dependency between two assignments that are both not done. */
export interface OpenDependency {
  /** The id of the assignment that waits. */
  readonly id: string
  readonly blockerId: string
  readonly blockerName: string
  readonly isTooEarly: boolean
}

/** Returns the dependencies of the shown assignments, whose dates include changes that are not saved yet. */
export function useOpenDependencies(
  { doneIds }: ProjectViewProps['scope'],
  rows: readonly Assignment[],
  blockers: Blockers,
) {
  return useMemo(() => {
    const shown = byId(rows)
    return rows.flatMap((row) =>
      doneIds.has(row.workflowId)
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
  }, [blockers, rows, doneIds])
}

/** Maps each waiting assignment to a line of text, which says the same as its arrows. */
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

/** More arrows could not be told apart, and would be slow to draw. */
const arrowsMax = 300
/** The length of the first and the last part of an arrow, which follow the direction of time. */
const stubPixels = 10
const cornerPixels = 6
/** About the height of a bar with the gap below it. */
const rowPixels = 28

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
  /** The top of the first rendered lane and the bottom of the last one, in pixels. */
  readonly renderedTop: number
  readonly renderedBottom: number
  readonly width: number
}

/**
 * Draws an arrow from the end of each assignment to the start of those that wait for it, also if one of the
 * bars is out of view.
 */
export function DependencyArrows({
  dependencies,
  places,
  renderedTop,
  renderedBottom,
  width,
}: DependencyArrowsProps) {
  const arrows = useMemo(() => {
    const sign = directionSign()
    const xOf = (fromStart: number) => (sign > 0 ? fromStart : width - fromStart)
    return dependencies
      .flatMap(({ id, blockerId, isTooEarly }) => {
        const [blocker, blocked] = [places.get(blockerId), places.get(id)]
        if (blocker === undefined || blocked === undefined) return []
        const [top, bottom] = [blocker.middle, blocked.middle].sort((a, b) => a - b)
        return (bottom ?? 0) < renderedTop || (top ?? 0) > renderedBottom
          ? []
          : [{ id, blockerId, isTooEarly, ...arrowOf(blocker, blocked, xOf, sign) }]
      })
      .slice(0, arrowsMax)
  }, [dependencies, places, renderedTop, renderedBottom, width])
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

function arrowOf(from: BarPlace, to: BarPlace, xOf: (fromStart: number) => number, sign: number) {
  const [x1, x2] = [xOf(from.end), xOf(to.start)]
  const [y1, y2] = [from.middle, to.middle]
  const [out, back] = [x1 + sign * stubPixels, x2 - sign * stubPixels]
  const hasRoom = sign * (back - out) >= 0
  // If there is no room between the bars, the arrow returns along the line between their rows.
  const between = y1 === y2 ? y1 + rowPixels / 2 : y2 + (Math.sign(y1 - y2) * rowPixels) / 2
  const corners: readonly Point[] = hasRoom
    ? [
        [out, y1],
        [out, y2],
      ]
    : [
        [out, y1],
        [out, between],
        [back, between],
        [back, y2],
      ]
  return {
    line: roundedPath([[x1, y1], ...corners, [x2, y2]]),
    head: `M${x2} ${y2}l${-sign * 7} -4v8z`,
  }
}

type Point = readonly [x: number, y: number]

/** Returns a line through the points whose corners are rounded. */
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
