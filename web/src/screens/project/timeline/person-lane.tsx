import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { t } from '../../../texts/text.ts'
import { addDays, daysInWeek, formatWeek, today, weekdayOf } from '../../../time/days.ts'
import { formatPlanned } from '../../../time/hours.ts'
import { PersonAvatar } from '../../../ui/avatar.tsx'
import { keyAlongLine } from '../../../ui/place.ts'
import { AssignmentBar } from '../assignment-bar.tsx'
import { type Bar, barsOf } from '../lanes.ts'
import type { Shift } from '../use-reschedule.ts'
import { dragBar, keepFromScrolling } from './drag-bar.ts'
import { loadByDay, loadOf } from './load.ts'

type Assignment = RecordOf<'assignment'>

export interface PersonLaneProps {
  readonly id: string
  readonly name: string
  readonly rows: readonly Assignment[]
  readonly from: string
  readonly dayCount: number
  /** Hours of a working day. */
  readonly target: number
  readonly openId: string | undefined
  readonly query: string
  /** The neighbouring lanes. */
  readonly before: string | undefined
  readonly after: string | undefined
  readonly doneId: string | undefined
  onShift(row: Assignment, shift: Shift): void
}

/** Rendered only when its own data has changed: moving a bar affects one or two lanes. */
export function PersonLane(props: PersonLaneProps) {
  const { id, name, rows, from, dayCount, target, openId, query, before, after, doneId, onShift } = props
  return useMemo(
    () => <Lane {...props} />,
    [id, name, rows, from, dayCount, target, openId, query, before, after, doneId, onShift],
  )
}

/** The assignments of one person, day by day, tinted where they exceed a day. */
function Lane(props: PersonLaneProps) {
  const { id, name, rows, from, dayCount, target, doneId } = props
  const track = useRef<HTMLDivElement>(null)
  useEffect(() => track.current?.addEventListener('touchmove', keepFromScrolling, { passive: false }), [])
  const bars = useMemo(() => barsOf(rows, from, dayCount), [rows, from, dayCount])
  const load = loadByDay(
    rows.filter(({ workflowId }) => workflowId !== doneId),
    from,
    dayCount,
  )
  const laneCount = 1 + Math.max(0, ...bars.map(({ lane }) => lane))
  const weeks = Array.from({ length: dayCount / daysInWeek }, (_, index) => index * daysInWeek)
  return (
    <section class="person-lane" data-person={id} aria-label={name}>
      <header class="person-head">
        <PersonAvatar id={id} isDecorative />
        <span dir="auto">{name}</span>
      </header>
      <div
        ref={track}
        class="timeline-track"
        style={{
          gridTemplateColumns: `repeat(${dayCount}, minmax(0, 1fr))`,
          gridTemplateRows: `repeat(${laneCount + 1}, auto) 1fr`,
        }}
      >
        {load.map((hours, index) => (
          <DayCell key={index} day={addDays(from, index)} index={index} hours={hours} target={target} />
        ))}
        {weeks.map((index) => (
          <WeekSum
            key={index}
            monday={addDays(from, index)}
            index={index}
            hours={load.slice(index, index + daysInWeek).reduce((sum, one) => sum + one, 0)}
            target={target * workingDaysOfWeek}
          />
        ))}
        {bars.map((bar) => (
          <LaneBar
            key={bar.row.id}
            {...props}
            bar={bar}
            dayPixels={() => (track.current?.offsetWidth ?? 0) / dayCount}
          />
        ))}
      </div>
    </section>
  )
}

const workingDaysOfWeek = 5

interface DayCellProps {
  readonly day: string
  readonly index: number
  readonly hours: number
  readonly target: number
}

/** Only colour: the sum of the week has the same information. */
const DayCell = ({ day, index, hours, target }: DayCellProps) => (
  <div
    aria-hidden="true"
    class={`timeline-day ${loadOf(hours, target)} ${day === today() ? 'today' : ''} ${weekdayOf(day) % 6 === 0 ? 'weekend' : ''} ${weekdayOf(day) === 1 ? 'monday' : ''}`}
    style={{ gridColumn: `${index + 1}`, gridRow: '1 / -1' }}
    title={hours > 0 ? formatPlanned(hours) : undefined}
  />
)

interface WeekSumProps {
  readonly monday: string
  readonly index: number
  readonly hours: number
  readonly target: number
}

function WeekSum({ monday, index, hours, target }: WeekSumProps) {
  const load = loadOf(hours, target)
  const isExceeded = load === 'over' || load === 'far-over'
  const values = { hours: formatPlanned(hours), over: formatPlanned(hours - target) }
  return (
    <p
      class={`week-sum ${load}`}
      style={{ gridColumn: `${index + 1} / ${index + 1 + daysInWeek}`, gridRow: '1' }}
    >
      <span class="visually-hidden">{formatWeek(monday)}: </span>
      {isExceeded ? t('{hours}, {over} too much', values) : hours > 0 && values.hours}
    </p>
  )
}

interface LaneBarProps extends PersonLaneProps {
  readonly bar: Bar
  dayPixels(): number
}

function LaneBar({ bar, doneId, openId, query, before, after, onShift, dayPixels }: LaneBarProps) {
  const { row, lane, first, last, beginsBefore, endsAfter } = bar
  const shiftOf = (event: KeyboardEvent): Shift | undefined => {
    const key = keyAlongLine(event)
    const days = { ArrowLeft: -1, ArrowRight: 1 }[key]
    if (days !== undefined) return event.altKey ? { endDays: days } : { days }
    const userId = { ArrowUp: before, ArrowDown: after }[key]
    return userId === undefined ? undefined : { userId }
  }
  return (
    <AssignmentBar
      bar={bar}
      showsAvatar={false}
      isDone={row.workflowId === doneId}
      isOpen={row.id === openId}
      query={query}
      gridStyle={{ gridColumn: `${first + 1} / ${last + 2}`, gridRow: `${lane + 2}` }}
      onPointerDown={(event) =>
        dragBar(event, {
          dayPixels: dayPixels(),
          beginsBefore,
          endsAfter,
          onDrop: (shift) => onShift(row, shift),
        })
      }
      onKeyDown={(event) => {
        const shift = event.shiftKey ? shiftOf(event) : undefined
        if (shift === undefined) return
        event.preventDefault()
        onShift(row, shift)
      }}
    />
  )
}
