import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { NewAssignmentDialog } from '../../../assignment/lazy-new-assignment.ts'
import { responsibleOf } from '../../../data/planned.ts'
import { colorIn } from '../../../data/project-stages.ts'
import { catalogQuery, useListing } from '../../../data/use-listing.ts'
import { assignmentPath } from '../../../router/router.ts'
import { useServices } from '../../../services/services.ts'
import { t } from '../../../texts/text.ts'
import {
  addDays,
  dateFormat,
  dateOf,
  dayOf,
  daysBetween,
  daysInWeek,
  daysOfWeek,
  formatDay,
  formatWeekday,
  today,
} from '../../../time/days.ts'
import { PersonAvatar } from '../../../ui/avatar.tsx'
import { ChoiceButtons } from '../../../ui/choice-buttons.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { SubscribeDialog } from '../../../ui/lazy-dialog.tsx'
import { EmptyState, LoadProblem } from '../../../ui/notes.tsx'
import { useMedia } from '../../../ui/use-media.ts'
import { barsOf, shareLines } from '../bars.ts'
import { PeriodSteps } from '../period-steps.tsx'
import { UnscheduledLink, useUnscheduledCount } from '../unscheduled-link.tsx'
import { useBlocked } from '../use-blocked.ts'
import { useCardFocus } from '../use-card-focus.ts'
import { usePeriodRows } from '../use-period-rows.ts'
import type { ProjectViewProps } from '../view-props.ts'
import { ViewSkeleton } from '../view-skeleton.tsx'
import { CalendarWeek, type CalendarWeekProps, lineRem, numberRem } from './calendar-week.tsx'
import { type CalendarPeriod, calendarSpans, thisMonth, useCalendarPeriod } from './use-calendar-period.ts'

type Assignment = RecordOf<'assignment'>

/**
 * Shows a month or a week of assignments, each from its start to its end. Dragging a bar, or Shift and an arrow key,
 * moves it.
 */
export function CalendarView(props: ProjectViewProps) {
  const { scope, openId, query } = props
  const { configuration } = useServices()
  // Seven columns do not fit into a narrower window.
  const isNarrow = useMedia('(max-width: 760px)')
  const period = useCalendarPeriod(query, isNarrow)
  const [first = '', last = ''] = [period.mondays[0], period.mondays.at(-1)]
  const listing = usePeriodRows(props, first, addDays(last, daysInWeek))
  const unscheduledCount = useUnscheduledCount(scope.projectId)
  const isLoading = listing.isLoading || unscheduledCount === undefined
  const [isSubscribing, setSubscribing] = useState(false)
  const [newDay, setNewDay] = useState<string>()
  const keepFocusOn = useCardFocus()
  const shift = (row: Assignment, days: number) => {
    keepFocusOn(row.id)
    void listing.reschedule(row, { days })
  }
  const looks = useBarLooks(scope, isLoading)
  const { isDone } = looks
  // The key distinguishes it from the skeleton below, which has another position.
  if (props.isNameLoading) return <ViewSkeleton key="name" view="calendar" />
  return (
    <>
      <div class="timeline-tools">
        <PeriodSteps {...period} onStep={period.step} onNow={period.goToNow} />
        {!isNarrow && (
          <ChoiceButtons
            label={t('Zoom')}
            names={calendarSpans}
            current={period.span}
            labelOf={(span) => t(spanLabels[span])}
            onChoose={period.setSpan}
          />
        )}
        {!isLoading && <UnscheduledLink projectId={scope.projectId} count={unscheduledCount} />}
        {configuration.extensions && (
          <button type="button" class="button quiet subscribe" onClick={() => setSubscribing(true)}>
            <Icon name="calendar" />
            <span>{t('Subscribe')}</span>
          </button>
        )}
      </div>
      {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
      {isLoading && <ViewSkeleton view="calendar" />}
      {!isLoading && isNarrow && (
        <Agenda rows={listing.rows} month={period.month} query={query} isDone={isDone} />
      )}
      {!isLoading && !isNarrow && (
        <Weeks
          {...looks}
          period={period}
          rows={listing.rows}
          isStale={listing.isStale}
          openId={openId}
          query={query}
          onShift={shift}
          onAdd={setNewDay}
          moreOf={(day) => (
            <>
              <h2>{dateFormat('whole').format(dateOf(day))}</h2>
              <DayRows rows={rowsOn(listing.rows, day)} query={query} isDone={isDone} />
            </>
          )}
        />
      )}
      {newDay !== undefined && (
        <NewAssignmentDialog
          scope={scope}
          values={{ startDate: newDay, endDate: newDay }}
          onClose={() => setNewDay(undefined)}
        />
      )}
      {isSubscribing && <SubscribeDialog projectId={scope.projectId} onClose={() => setSubscribing(false)} />}
    </>
  )
}

/** Returns the functions that decide how the bar of an assignment looks, and where it is. */
function useBarLooks(scope: ProjectViewProps['scope'], isLoading: boolean) {
  const { session } = useServices()
  const types = useListing('assignmentType', catalogQuery).rows
  const { hindrances } = useBlocked(isLoading ? undefined : scope.projectId, scope.doneIds)
  const isDone = (row: Assignment) => scope.doneIds.has(row.workflowId)
  return {
    isDone,
    /** The user's own work is never hidden before that of others, and late work before the rest. */
    rankOf(row: Assignment) {
      if (isDone(row)) return 3
      if (responsibleOf(row) === session.person.value?.id) return 0
      return dayOf(row.endDate) < today() ? 1 : 2
    },
    hindranceOf: (row: Assignment) => (isDone(row) ? undefined : hindrances.get(row.id)),
    colorOf: (row: Assignment) => colorIn(scope.stages, row.workflowId),
    typeOf: (row: Assignment) => types.find(({ id }) => id === row.assignmentTypeId)?.name,
  }
}

const spanLabels = { week: 'Week', month: 'Month' } as const

interface WeeksProps extends Pick<CalendarWeekProps, 'openId' | 'query'> {
  readonly period: CalendarPeriod
  readonly rows: readonly Assignment[]
  readonly isStale: boolean
  /** Rows with a lower rank come first. */
  rankOf(row: Assignment): number
  hindranceOf: CalendarWeekProps['hindranceOf']
  isDone(row: Assignment): boolean
  colorOf: CalendarWeekProps['colorOf']
  typeOf: CalendarWeekProps['typeOf']
  moreOf: CalendarWeekProps['moreOf']
  onAdd: CalendarWeekProps['onAdd']
  onShift(row: Assignment, days: number): void
}

const rowsOn = (rows: readonly Assignment[], day: string): readonly Assignment[] =>
  rows.filter((row) => dayOf(row.startDate) <= day && dayOf(row.endDate) >= day)

function Weeks({ period, rows, isStale, rankOf, ...shared }: WeeksProps) {
  const { mondays: weeks, month, span } = period
  const [dragged, setDragged] = useState<{ readonly row: Assignment; readonly from: string }>()
  const [first = ''] = weeks
  const calendar = useRef<HTMLElement>(null)
  const bars = weeks.map((monday) => barsOf(rows, monday, daysInWeek, { rankOf }))
  const needed = bars.map((ofWeek) => Math.max(0, ...ofWeek.map(({ line }) => line + 1)))
  const capacity = useLineCapacity(calendar, weeks.length)
  // A week hides nothing, however long it becomes.
  const lineCounts =
    span === 'week'
      ? needed.map((count) => Math.max(count, linesLeast))
      : shareLines(needed, capacity, linesLeast)
  return (
    <section
      ref={calendar}
      class={`calendar ${dragged ? 'dragging' : ''}`}
      aria-label={t('Calendar')}
      aria-busy={isStale}
    >
      <div class="calendar-head" aria-hidden="true">
        {daysOfWeek(first).map((day) => (
          <span key={day}>{formatWeekday(day)}</span>
        ))}
      </div>
      {weeks.map((monday, index) => (
        <CalendarWeek
          key={monday}
          {...shared}
          month={month}
          monday={monday}
          isFirstWeek={monday === first}
          bars={bars[index] ?? []}
          lineCount={lineCounts[index] ?? linesLeast}
          onDrag={(row, from) => setDragged(row && { row, from })}
          onDrop={(day) => {
            if (dragged) shared.onShift(dragged.row, daysBetween(dragged.from, day))
            setDragged(undefined)
          }}
        />
      ))}
    </section>
  )
}

/** The height of the row of weekdays. */
const headRem = 2
/** The height of the space below the lines of a week, with its border. */
const gapRem = 0.3125
/**
 * A month of six weeks with this many lines fits into a window of 900 pixels. In a lower window, it scrolls.
 */
const linesLeast = 2

/** Returns how many lines of bars fit into all weeks together, so that the whole month fits the window. */
function useLineCapacity(calendar: { readonly current: HTMLElement | null }, weekCount: number): number {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    const measure = () => setHeight(calendar.current?.clientHeight ?? 0)
    measure()
    const observer = new ResizeObserver(measure)
    if (calendar.current !== null) observer.observe(calendar.current)
    return () => observer.disconnect()
  }, [])
  const rem = height / Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Math.floor((rem - headRem - weekCount * (numberRem + gapRem)) / lineRem)
}

interface AgendaProps {
  readonly rows: readonly Assignment[]
  readonly month: string
  readonly query: string
  isDone(row: Assignment): boolean
}

/** Shows the month as a list of days, each with the assignments that end on it. */
function Agenda({ rows, month, query, isDone }: AgendaProps) {
  const agenda = useRef<HTMLElement>(null)
  const isEmpty = rows.length === 0
  // It begins at today; a bit of the days before shows that they are above.
  useLayoutEffect(() => {
    const next = agenda.current?.querySelector<HTMLElement>('[data-upcoming]')
    if (agenda.current && next?.previousElementSibling)
      agenda.current.scrollTop = next.offsetTop - agenda.current.offsetTop - peekPixels
  }, [month, isEmpty])
  const ends = Map.groupBy(
    rows.toSorted((a, b) => (a.endDate < b.endDate ? -1 : 1)),
    ({ endDate }) => dayOf(endDate),
  )
  const days = [...ends].filter(([day]) => day.startsWith(month))
  const endingLater = rows.filter(({ endDate }) => dayOf(endDate).slice(0, 7) > month)
  const upcoming = days.find(([day]) => day >= today())?.[0] ?? (month === thisMonth() ? later : undefined)
  if (isEmpty)
    return (
      <EmptyState icon="calendar" title={t('Nothing this month')}>
        <p>{t('Choose another month, or add an assignment.')}</p>
      </EmptyState>
    )
  return (
    <section ref={agenda} class="agenda" aria-label={t('Calendar')}>
      {days.map(([day, dayRows]) => (
        <section
          key={day}
          class="group"
          aria-label={dateFormat('whole').format(dateOf(day))}
          data-upcoming={day === upcoming || undefined}
        >
          <h2 class={day === today() ? 'today' : ''}>{dateFormat('whole').format(dateOf(day))}</h2>
          <DayRows rows={dayRows} query={query} isDone={isDone} />
        </section>
      ))}
      {endingLater.length > 0 && (
        <section class="group" aria-label={t('Ends later')} data-upcoming={upcoming === later || undefined}>
          <h2>{t('Ends later')}</h2>
          <DayRows rows={endingLater} query={query} isDone={isDone} />
        </section>
      )}
    </section>
  )
}

/** In place of a day, for what ends after the month. */
const later = 'later'
const peekPixels = 28

interface DayRowsProps {
  readonly rows: readonly Assignment[]
  readonly query: string
  isDone(row: Assignment): boolean
}

const DayRows = ({ rows, query, isDone }: DayRowsProps) => (
  <ul class="rows">
    {rows.map((row) => (
      <li key={row.id} class="row work-row day-row">
        <span class="row-text">
          <a href={assignmentPath(row.projectId, row.id, query)} dir="auto">
            {row.name}
          </a>
          <span class={`quiet-text line ${!isDone(row) && dayOf(row.endDate) < today() ? 'late' : ''}`}>
            {t('{from} to {to}', {
              from: formatDay(dayOf(row.startDate)),
              to: formatDay(dayOf(row.endDate)),
            })}
          </span>
        </span>
        <PersonAvatar id={responsibleOf(row)} />
      </li>
    ))}
  </ul>
)
