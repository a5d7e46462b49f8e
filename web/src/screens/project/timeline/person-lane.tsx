import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { colorIn, type ProjectStage } from '../../../data/project-stages.ts'
import { t } from '../../../texts/text.ts'
import { addDays, daysInWeek, formatWeek, isWeekend, today, weekdayOf } from '../../../time/days.ts'
import { formatPlanned } from '../../../time/hours.ts'
import { PersonAvatar } from '../../../ui/people.tsx'
import { logicalArrowKey, narrow, phone, useMedia } from '../../../ui/viewport.ts'
import { AssignmentBar } from '../assignment-bar.tsx'
import type { Bar } from '../bars.ts'
import type { BlockReason, BlockReasons } from '../name-lookup.ts'
import type { Shift } from '../period-view.tsx'
import { dragBar, preventScrolling } from './drag-bar.ts'
import {
  describeWeeks,
  isExceeded,
  loadLevelOf,
  plannedHoursByDay,
  type WeekLoad,
  weekLoadsOf,
} from './workload.ts'

type Assignment = RecordOf<'assignment'>

/** The data that all lanes share. */
export interface LaneContext {
  readonly from: string
  readonly dayCount: number
  readonly dayPixels: number
  /** The hours of a working day. */
  readonly target: number
  readonly openId: string | undefined
  readonly query: string
  readonly doneStageIds: ReadonlySet<string>
  readonly stages: readonly ProjectStage[]
  /** Maps each waiting assignment to a text that names all assignments for which it waits. */
  readonly waitingTexts: ReadonlyMap<string, string>
  /** Maps each assignment that waits or has an impediment to a short text that says so. */
  readonly blockReasons: BlockReasons
  /** The assignments whose arrows show that they wait. Their bars have no icon for it. */
  readonly connectedIds: ReadonlySet<string>
  /** On phones, the head of a lane has its hours, and a lane without bars is only its head. */
  readonly isPhone: boolean
  onShift(row: Assignment, shift: Shift): void
}

interface PersonLaneProps {
  readonly id: string
  readonly name: string
  readonly rows: readonly Assignment[]
  readonly bars: readonly Bar[]
  readonly top: number
  readonly height: number
  /** The ids of the people of the lanes above and below. */
  readonly previousId: string | undefined
  readonly nextId: string | undefined
  readonly context: LaneContext
}

/** Memoized, because moving a bar affects only one or two lanes. */
export function PersonLane(props: PersonLaneProps) {
  const { id, name, rows, bars, top, height, previousId, nextId, context } = props
  return useMemo(() => <Lane {...props} />, [id, name, rows, bars, top, height, previousId, nextId, context])
}

/** Shows the assignments of one person, day by day. Overloaded days are tinted. */
function Lane(props: PersonLaneProps) {
  const { id, name, rows, bars, top, height, context } = props
  const { from, dayCount, dayPixels, doneStageIds, isPhone } = context
  // Work without a person overloads no one, so no day of its lane is tinted.
  const target = id === '' ? Number.POSITIVE_INFINITY : context.target
  const track = useRef<HTMLDivElement>(null)
  useEffect(() => track.current?.addEventListener('touchmove', preventScrolling, { passive: false }), [])
  const hoursByDay = useMemo(
    () =>
      plannedHoursByDay(
        rows.filter(({ workflowId }) => !doneStageIds.has(workflowId)),
        from,
        dayCount,
      ),
    [rows, doneStageIds, from, dayCount],
  )
  const weeks = weekLoadsOf(hoursByDay, target)
  return (
    <section
      class="person-lane"
      data-person={id}
      aria-label={name}
      style={{ top: `${top}px`, height: `${height}px` }}
    >
      <header class="person-head">
        <span class="person-name">
          <PersonAvatar id={id} isDecorative />
          <span dir="auto" title={name}>
            {name}
          </span>
        </span>
        {isPhone && (
          <span class={`lane-sum ${weeks.some(isExceeded) ? 'over' : ''}`}>
            {bars.length === 0 ? t('Nothing planned') : describeWeeks(from, weeks)}
          </span>
        )}
      </header>
      <div
        ref={track}
        class="timeline-track"
        style={{
          gridTemplateColumns: `repeat(${dayCount}, minmax(0, 1fr))`,
          gridTemplateRows: `var(--lane-hours) repeat(${lineCountOf(bars)}, var(--lane-bar)) 1fr`,
        }}
      >
        {weeks.map((week) => (
          <LoadMark key={week.startIndex} {...week} dayCount={daysInWeek} />
        ))}
        {hoursByDay.map((hours, index) => (
          <LoadMark key={index} startIndex={index} dayCount={1} hours={hours} target={target} />
        ))}
        {!isPhone &&
          weeks.map((week) => (
            <WeekSum
              key={week.startIndex}
              firstDay={addDays(from, week.startIndex)}
              week={week}
              dayPixels={dayPixels}
            />
          ))}
        {bars.map((bar) => (
          <LaneBar
            key={bar.row.id}
            {...props}
            bar={bar}
            measureDay={() => (track.current?.offsetWidth ?? 0) / dayCount}
          />
        ))}
      </div>
    </section>
  )
}

const lineCountOf = (bars: readonly Bar[]): number => 1 + Math.max(0, ...bars.map(({ line }) => line))

/** The width of a letter of a week's hours, of the space around them, and of the text that adds those above the target. */
const letterPixels = 7.5
const aroundSumPixels = 6
const longSumPixels = 110

interface DayGridProps {
  readonly from: string
  readonly dayCount: number
}

/** Shows the days behind all lanes: weekends are tinted, and lines mark Mondays and today. */
export const DayGrid = ({ from, dayCount }: DayGridProps) => (
  <div
    class="timeline-grid"
    aria-hidden="true"
    style={{ gridTemplateColumns: `repeat(${dayCount}, minmax(0, 1fr))` }}
  >
    {Array.from({ length: dayCount }, (_, index) => {
      const day = addDays(from, index)
      const kinds = { today: day === today(), weekend: isWeekend(day), monday: weekdayOf(day) === 1 }
      const names = Object.entries(kinds).flatMap(([name, isSet]) => (isSet ? [name] : []))
      return <div key={day} class={['timeline-day', ...names].join(' ')} />
    })}
  </div>
)

interface LoadMarkProps {
  readonly startIndex: number
  readonly dayCount: number
  readonly hours: number
  readonly target: number
}

/** Tints a day or a week whose hours exceed the target, below a line of the same color. */
function LoadMark({ startIndex, dayCount, hours, target }: LoadMarkProps) {
  const level = loadLevelOf(hours, target)
  // The mark is hidden from screen readers. They read the sum of the week instead.
  return level === 'within' ? null : (
    <div
      aria-hidden="true"
      class={`timeline-load ${level} ${dayCount === 1 ? '' : 'of-week'}`}
      style={{ gridColumn: `${startIndex + 1} / span ${dayCount}` }}
      title={formatPlanned(hours)}
    />
  )
}

interface WeekSumProps {
  readonly firstDay: string
  readonly week: WeekLoad
  readonly dayPixels: number
}

/**
 * Shows the hours of a week where its work begins, or before that if there is no room after it. In a week that is
 * marked as a whole, they are at its start.
 */
function WeekSum({ firstDay, week, dayPixels }: WeekSumProps) {
  const { startIndex, firstBusyIndex, hours, target } = week
  const isOver = isExceeded(week)
  const values = { hours: formatPlanned(hours), over: formatPlanned(hours - target) }
  const end = startIndex + daysInWeek
  const sumPixels = aroundSumPixels + values.hours.length * letterPixels
  const lastStart = Math.min(firstBusyIndex, end - Math.ceil(sumPixels / dayPixels))
  const start = isOver ? startIndex : Math.max(startIndex, lastStart)
  const isShort = (end - start) * dayPixels < longSumPixels
  return (
    <p
      class={`week-sum ${isOver ? 'over' : ''}`}
      title={isOver ? t('{hours}, {over} over', values) : undefined}
      style={{ gridColumn: `${start + 1} / ${end + 1}`, gridRow: '1' }}
    >
      <span class="visually-hidden">{formatWeek(firstDay)}: </span>
      {isOver && !isShort ? t('{hours}, {over} over', values) : hours > 0 && values.hours}
    </p>
  )
}

interface LaneBarProps extends PersonLaneProps {
  readonly bar: Bar
  /** Returns the rendered width of a day in pixels. The grid stretches its days to the width of the page. */
  measureDay(): number
}

function LaneBar(props: LaneBarProps) {
  const { bar, previousId, nextId, context, measureDay } = props
  const { doneStageIds, stages, waitingTexts, openId, query, onShift } = context
  const { row, line, first, last, beginsBefore, endsAfter, nameRoom } = bar
  const { dayPixels } = context
  const shiftOf = (event: KeyboardEvent): Shift | undefined => {
    const key = logicalArrowKey(event)
    const days = { ArrowLeft: -1, ArrowRight: 1 }[key]
    if (days !== undefined) return event.altKey ? { endDays: days } : { days }
    const userId = { ArrowUp: previousId, ArrowDown: nextId }[key]
    return userId === undefined ? undefined : { userId }
  }
  return (
    <AssignmentBar
      bar={bar}
      isDetailed={false}
      isDone={doneStageIds.has(row.workflowId)}
      blockReason={blockReasonOf(row, context)}
      color={colorIn(stages, row.workflowId)}
      isOpen={row.id === openId}
      note={waitingTexts.get(row.id)}
      addressQuery={query}
      gridStyle={{
        gridColumn: `${first + 1} / ${last + 2}`,
        gridRow: `${line + 2}`,
        '--name-room': `${Math.round(nameRoom * dayPixels)}px`,
      }}
      widthPixels={(last - first + 1) * dayPixels - 2 * barMarginPixels}
      onPointerDown={(event) =>
        dragBar(event, {
          dayPixels: measureDay(),
          beginsBefore,
          endsAfter,
          onDrop: (shift) => onShift(row, shift),
        })
      }
      onShiftKey={(event) => {
        const shift = shiftOf(event)
        if (shift === undefined) return
        event.preventDefault()
        onShift(row, shift)
      }}
    />
  )
}

function blockReasonOf({ id, workflowId }: Assignment, context: LaneContext): BlockReason | undefined {
  const { doneStageIds, blockReasons, connectedIds } = context
  const reason = doneStageIds.has(workflowId) ? undefined : blockReasons.get(id)
  return reason?.isWaiting && connectedIds.has(id) ? undefined : reason
}

/**
 * Heights and widths in rem. The position of every bar is calculated from them, because most lanes are not
 * rendered. The style sheet uses them as custom properties.
 */
const wideRem = {
  /** The width of the column of names on wide screens. */
  names: 11,
  /** The height of the name above a lane on narrow screens. */
  head: 2.5,
  hours: 1.75,
  /** The height of a bar with the space around it, through which arrows run. */
  bar: 2.125,
  /** The minimum height of the hours and the bars together. */
  least: 4.5,
  /** The height without bars. */
  empty: 4.5,
  /** The space below the last bar. */
  below: 0.5,
} as const

type LaneRem = Readonly<Record<keyof typeof wideRem, number>>

/** On phones, a lane without bars is a head and a thin line. */
const phoneRem: LaneRem = {
  ...wideRem,
  head: 1.75,
  hours: 0.25,
  bar: 2.625,
  least: 0,
  empty: 0.0625,
}

/** The space between a bar and the edges of its first and last day. */
export const barMarginPixels = 3

export const lanePropertiesOf = (laneRem: LaneRem): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(laneRem).map(([name, rem]) => [`--lane-${name}`, `${rem}rem`])),
  '--bar-margin': `${barMarginPixels}px`,
})

/** Returns the height of a lane without its name. */
export function trackRemOf(bars: readonly Bar[], laneRem: LaneRem): number {
  const { least, empty, hours, bar, below } = laneRem
  return bars.length === 0 ? empty : Math.max(least, hours + lineCountOf(bars) * bar + below)
}

export type Measures = ReturnType<typeof useMeasures>

/** Returns the distance from the edge of the timeline to its first day, in pixels. */
export const startPixelsOf = ({ remPixels, laneRem, isNarrow }: Measures): number =>
  isNarrow ? 0 : laneRem.names * remPixels

/** Measures the width of a day and of a rem, in pixels, and returns the font of names and the lane sizes for this window. */
export function useMeasures(scale: { readonly current: HTMLElement | null }, dayCount: number) {
  // The style sheet puts names above lanes at the same width.
  const isNarrow = useMedia(narrow)
  const isPhone = useMedia(phone)
  const [width, setWidth] = useState(innerWidth)
  useLayoutEffect(() => {
    const measure = () => setWidth(scale.current?.offsetWidth || innerWidth)
    measure()
    const observer = new ResizeObserver(measure)
    if (scale.current !== null) observer.observe(scale.current)
    return () => observer.disconnect()
  }, [])
  const style = getComputedStyle(document.documentElement)
  const remPixels = Number.parseFloat(style.fontSize)
  const [weight, size = '', family] = ['--weight-medium', '--size-small', '--font'].map((name) =>
    style.getPropertyValue(name),
  )
  return {
    dayPixels: width / dayCount,
    remPixels,
    font: `${weight} ${Number.parseFloat(size) * remPixels}px ${family}`,
    laneRem: isPhone ? phoneRem : wideRem,
    isNarrow,
    isPhone,
  }
}
