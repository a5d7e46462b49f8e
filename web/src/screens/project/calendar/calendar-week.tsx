import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import type { ColorName } from '../../../data/project-stages.ts'
import { t } from '../../../texts/text.ts'
import {
  addDays,
  dateFormat,
  dateOf,
  daysInWeek,
  daysOfWeek,
  formatDay,
  formatWeekday,
  isWeekend,
  today,
} from '../../../time/days.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Popover } from '../../../ui/view-controls.tsx'
import { directionSign, logicalArrowKey } from '../../../ui/viewport.ts'
import { AssignmentBar } from '../assignment-bar.tsx'
import type { Bar } from '../bars.ts'
import type { BlockReason } from '../name-lookup.ts'

type Assignment = RecordOf<'assignment'>

/** The height of the number of a day. */
export const numberRem = 1.875
/** The height of a bar with its margins, and of a button such as "2 more". */
export const lineRem = 1.75
/** The height of a bar with a second line. */
const factsLineRem = 3.125

export interface CalendarWeekProps {
  readonly monday: string
  readonly month: string
  readonly isFirstWeek: boolean
  /** The number of lines for bars and for buttons such as "2 more". */
  readonly lineCount: number
  readonly shown: readonly Bar[]
  readonly hidden: readonly Bar[]
  readonly openId: string | undefined
  readonly query: string
  isDone(row: Assignment): boolean
  colorOf(row: Assignment): ColorName
  onShift(row: Assignment, days: number): void
  typeOf(row: Assignment): string | undefined
  blockReasonOf(row: Assignment): BlockReason | undefined
  /** Renders the second line of a bar. Undefined in a month, where bars have one line. */
  readonly factsOf: ((row: Assignment) => ComponentChildren) | undefined
  /** Renders all assignments of the day, for the popover of a button such as "2 more". */
  moreOf(day: string): ComponentChildren
  onDrag(row: Assignment | undefined, from: string): void
  onDrop(day: string): void
  /** Creates an assignment on the day. */
  onAdd(day: string): void
}

export function CalendarWeek(props: CalendarWeekProps) {
  const { monday, month, lineCount, shown, hidden, factsOf, moreOf, onDrop, onAdd } = props
  const [draggedOver, setDraggedOver] = useState<string>()
  const hiddenCount = (index: number) => hidden.filter((bar) => covers(bar, index)).length
  const isSingle = factsOf !== undefined
  const rem = isSingle ? factsLineRem : lineRem
  const rows = [`${numberRem}rem`, ...Array<string>(lineCount).fill(`${rem}rem`), '1fr'].join(' ')
  const lastLine = `${numberRem + (lineCount - 1) * rem}rem`
  return (
    <div
      class={`calendar-week ${isSingle ? 'single-week' : ''}`}
      style={{ gridTemplateRows: rows, '--last-line': lastLine }}
    >
      {daysOfWeek(monday).map((day, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: by keyboard, N adds and arrows move
        <div
          key={day}
          class={`calendar-day ${classOf(day, month)} ${draggedOver === day ? 'drop' : ''}`}
          style={{ gridColumn: `${index + 1}` }}
          onDblClick={(event) => {
            if (event.target === event.currentTarget) onAdd(day)
          }}
          onDragOver={(event) => {
            event.preventDefault()
            setDraggedOver(day)
          }}
          onDragLeave={() => setDraggedOver(undefined)}
          onDrop={(event) => {
            event.preventDefault()
            setDraggedOver(undefined)
            onDrop(day)
          }}
        >
          <time dateTime={day} aria-current={day === today() ? 'date' : undefined}>
            {isSingle && <span aria-hidden="true">{formatWeekday(day)}</span>}
            <span class="calendar-number" aria-hidden="true">
              {Number(day.slice(8))}
            </span>
            <span class="visually-hidden">{dateFormat('whole').format(dateOf(day))}</span>
          </time>
          <button
            type="button"
            class="calendar-add"
            // The key N also creates an assignment. A tab stop on each day would be in the way of the rest.
            tabIndex={-1}
            aria-label={t('New assignment on {day}', { day: formatDay(day) })}
            title={t('New assignment on {day}', { day: formatDay(day) })}
            onClick={() => onAdd(day)}
          >
            <Icon name="plus" />
          </button>
          {hiddenCount(index) > 0 && (
            <Popover
              label={dateFormat('whole').format(dateOf(day))}
              buttonClass="calendar-more"
              button={
                <>
                  {t('{count} more', { count: hiddenCount(index) })}
                  <span class="visually-hidden"> {dateFormat('whole').format(dateOf(day))}</span>
                </>
              }
            >
              {moreOf(day)}
            </Popover>
          )}
        </div>
      ))}
      {shown.map((bar) => (
        <WeekBar key={bar.row.id} {...props} bar={bar} />
      ))}
    </div>
  )
}

const covers = ({ first, last }: Bar, index: number): boolean => first <= index && index <= last

const classOf = (day: string, month: string): string =>
  [
    day.startsWith(month) ? '' : 'other-month',
    day === today() ? 'today' : '',
    isWeekend(day) ? 'weekend' : '',
  ].join(' ')

function WeekBar({
  bar,
  monday,
  isFirstWeek,
  isDone,
  colorOf,
  typeOf,
  blockReasonOf,
  factsOf,
  openId,
  query,
  onShift,
  onDrag,
}: CalendarWeekProps & { readonly bar: Bar }) {
  const { row, line, first, last, beginsBefore } = bar
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -daysInWeek,
    ArrowDown: daysInWeek,
  }
  return (
    <AssignmentBar
      bar={bar}
      isDone={isDone(row)}
      color={colorOf(row)}
      typeName={typeOf(row)}
      blockReason={blockReasonOf(row)}
      facts={factsOf?.(row)}
      isOpen={row.id === openId}
      addressQuery={query}
      isFirst={!beginsBefore || isFirstWeek}
      gridStyle={{ gridColumn: `${first + 1} / ${last + 2}`, gridRow: `${line + 2}` }}
      draggable
      onDragStart={(event) => {
        const { left, right, width } = event.currentTarget.getBoundingClientRect()
        const offset = directionSign() > 0 ? event.clientX - left : right - event.clientX
        const dayOffset = Math.floor((offset / width) * (last - first + 1))
        event.dataTransfer?.setData('text/plain', row.name)
        onDrag(row, addDays(monday, first + Math.max(0, dayOffset)))
      }}
      onDragEnd={() => onDrag(undefined, '')}
      onShiftKey={(event) => {
        const days = steps[logicalArrowKey(event)]
        if (days === undefined) return
        event.preventDefault()
        onShift(row, days)
      }}
    />
  )
}
