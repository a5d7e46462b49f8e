import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { byId } from '../../../api/load-all.ts'
import { type Blockers, startsTooEarly } from '../../../data/use-project-dependencies.ts'
import { inOneLine, t } from '../../../texts/text.ts'
import { directionSign } from '../../../ui/text-direction.ts'
import { assignmentElementId } from '../use-card-focus.ts'
import type { ProjectViewProps } from '../view-props.ts'

type Assignment = RecordOf<'assignment'>

/** A dependency between two assignments that are both not done. */
export interface Waiting {
  readonly id: string
  readonly blockerId: string
  readonly blockerName: string
  readonly isTooEarly: boolean
}

/** Returns what the shown assignments wait for. Their dates include changes that are not saved yet. */
export function useWaiting(
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
            (blocker): Waiting => ({
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
export const notesOf = (waiting: readonly Waiting[]): ReadonlyMap<string, string> =>
  new Map(
    [...Map.groupBy(waiting, ({ id }) => id)].map(([id, some]) => [
      id,
      inOneLine(
        ...some.map(({ blockerName, isTooEarly }) =>
          isTooEarly
            ? t('Starts before {name} ends', { name: blockerName })
            : t('Waits for {name}', { name: blockerName }),
        ),
      ),
    ]),
  )

/** More arrows could not be told apart, and would be slow to draw. */
const arrowsMax = 300
/** The part of an arrow that leaves its bar in the direction of time. */
const bendPixels = 20

interface Arrow extends Waiting {
  readonly line: string
  readonly head: string
}

const noArrows: readonly Arrow[] = []

interface DependencyArrowsProps {
  readonly waiting: readonly Waiting[]
  /** Changes with the rendered bars. */
  readonly bars: string
}

/** Draws an arrow from the end of each assignment to the start of those that wait for it, over the rendered bars of its parent element. */
export function DependencyArrows({ waiting, bars }: DependencyArrowsProps) {
  const svg = useRef<SVGSVGElement>(null)
  const [arrows, setArrows] = useState(noArrows)
  useLayoutEffect(() => {
    const lanes = svg.current?.parentElement
    // Measuring lays out the bars, which then appear later.
    if (!lanes || waiting.length === 0) return setArrows(noArrows)
    const draw = () => setArrows(arrowsOf(waiting, lanes))
    draw()
    const observer = new ResizeObserver(draw)
    observer.observe(lanes)
    return () => observer.disconnect()
  }, [waiting, bars])
  return (
    <svg ref={svg} class="dependency-arrows" aria-hidden="true" focusable="false">
      {arrows.map(({ id, blockerId, isTooEarly, line, head }) => (
        <g key={`${blockerId} ${id}`} class={isTooEarly ? 'too-early' : ''}>
          <path class="arrow-line" d={line} />
          <path class="arrow-head" d={head} />
        </g>
      ))}
    </svg>
  )
}

/** Leaves out those between bars that are not rendered. */
function arrowsOf(waiting: readonly Waiting[], lanes: HTMLElement): readonly Arrow[] {
  const origin = lanes.getBoundingClientRect()
  const boxes = new Map<string, DOMRect>()
  for (const bar of lanes.querySelectorAll('.bar[id]')) boxes.set(bar.id, bar.getBoundingClientRect())
  const boxOf = (id: string) => boxes.get(assignmentElementId(id))
  return waiting
    .flatMap((one) => {
      const [from, to] = [boxOf(one.blockerId), boxOf(one.id)]
      return from && to ? [arrowOf(one, origin, from, to)] : []
    })
    .slice(0, arrowsMax)
}

function arrowOf(waiting: Waiting, origin: DOMRect, from: DOMRect, to: DOMRect): Arrow {
  const sign = directionSign()
  const middleOf = ({ top, bottom }: DOMRect) => Math.round((top + bottom) / 2 - origin.top)
  const x1 = (sign > 0 ? from.right : from.left) - origin.left
  const x2 = (sign > 0 ? to.left : to.right) - origin.left
  const [y1, y2] = [middleOf(from), middleOf(to)]
  const bend = sign * Math.max(bendPixels, Math.abs(x2 - x1) / 2)
  const line = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
  const head = `M${x2} ${y2}l${-sign * 7} -4v8z`
  return { ...waiting, line, head }
}
