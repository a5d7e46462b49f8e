import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { NewAssignmentDialog } from '../../../assignment/lazy-new-assignment.ts'
import { isLate, responsibleOf } from '../../../data/planned.ts'
import { colorIn } from '../../../data/project-stages.ts'
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
import { RowFacts } from '../row-facts.tsx'
import { UnscheduledLink, useUnscheduledCount } from '../unscheduled-link.tsx'
import { useBlocked } from '../use-blocked.ts'
import { useCardFocus } from '../use-card-focus.ts'
import { usePeriodRows } from '../use-period-rows.ts'
import { type NameLookup, type ProjectViewProps, useNameLookup } from '../view-props.ts'
import { ViewSkeleton } from '../view-skeleton.tsx'
import { CalendarWeek, type CalendarWeekProps, lineRem, numberRem } from './calendar-week.tsx'
import { type CalendarPeriod, calendarSpans, useCalendarPeriod } from './use-calendar-period.ts'

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
  const { names, ...looks } = useLooks(scope, isLoading)
  const rowProps = { query, names, isDone: looks.isDone }
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
      {!isLoading && isNarrow && <Agenda {...rowProps} rows={listing.rows} month={period.month} />}
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
              <DayRows {...rowProps} rows={rowsOn(listing.rows, day)} />
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

const noLabels: Parameters<typeof useNameLookup>[1] = new Map()

/** Returns the functions that decide how an assignment looks, and where its bar is. */
function useLooks(scope: ProjectViewProps['scope'], isLoading: boolean) {
  const { session } = useServices()
  const { hindrances } = useBlocked(isLoading ? undefined : scope.projectId, scope.doneIds)
  const names = useNameLookup(scope, noLabels, hindrances)
  const isDone = (row: Assignment) => scope.doneIds.has(row.workflowId)
  return {
    names,
    isDone,
    /** The user's own work is never hidden before that of others, and late work before the rest. */
    rankOf(row: Assignment) {
      if (isDone(row)) return 3
      if (responsibleOf(row) === session.person.value?.id) return 0
      return dayOf(row.endDate) < today() ? 1 : 2
    },
    hindranceOf: names.hindranceOf,
    colorOf: (row: Assignment) => colorIn(scope.stages, row.workflowId),
    typeOf: (row: Assignment) => names.types.find(({ id }) => id === row.assignmentTypeId)?.name,
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

interface AgendaProps extends DayRowsProps {
  readonly month: string
}

/**
 * Shows the month as a list of days, each with the assignments that end on it. Today is always one of them,
 * and the list begins there.
 */
function Agenda({ month, ...rowProps }: AgendaProps) {
  const { rows } = rowProps
  const agenda = useRef<HTMLElement>(null)
  const isEmpty = rows.length === 0
  useLayoutEffect(() => {
    const current = agenda.current?.querySelector<HTMLElement>('.today')?.parentElement
    if (agenda.current && current) agenda.current.scrollTop = current.offsetTop + current.clientTop
  }, [month, isEmpty])
  const currentDay = today()
  const ends = Map.groupBy(
    rows.toSorted((a, b) => (a.endDate < b.endDate ? -1 : 1)),
    ({ endDate }) => dayOf(endDate),
  )
  const days = [...new Set([...ends.keys(), currentDay])].filter((day) => day.startsWith(month)).sort()
  const endingLater = rows.filter(({ endDate }) => dayOf(endDate).slice(0, 7) > month)
  if (isEmpty)
    return (
      <EmptyState icon="calendar" title={t('Nothing this month')}>
        <p>{t('Choose another month, or add an assignment.')}</p>
      </EmptyState>
    )
  return (
    <section ref={agenda} class="agenda" aria-label={t('Calendar')}>
      {days.map((day) => (
        <section key={day} aria-label={dateFormat('whole').format(dateOf(day))}>
          <h2 class={day === currentDay ? 'today' : ''}>
            <span>{dateFormat('heading').format(dateOf(day))}</span>
            {day === currentDay && <span class="today-chip">{t('Today')}</span>}
          </h2>
          {ends.has(day) ? (
            <DayRows {...rowProps} rows={ends.get(day) ?? []} />
          ) : (
            <p class="quiet-text">{t('Nothing ends today')}</p>
          )}
        </section>
      ))}
      {endingLater.length > 0 && (
        <section aria-label={t('Ends later')}>
          <h2>{t('Ends later')}</h2>
          <DayRows {...rowProps} rows={endingLater} />
        </section>
      )}
    </section>
  )
}

interface DayRowsProps {
  readonly rows: readonly Assignment[]
  readonly query: string
  readonly names: NameLookup
  isDone(row: Assignment): boolean
}

const DayRows = ({ rows, query, names, isDone }: DayRowsProps) => (
  <ul class="rows">
    {rows.map((row) => (
      <li key={row.id} class={`row work-row day-row ${isDone(row) ? 'done' : ''}`} data-row={row.id}>
        <span class="row-text">
          <a href={assignmentPath(row.projectId, row.id, query)} dir="auto" title={row.name}>
            {row.name}
          </a>
          <RowFacts
            row={row}
            names={names}
            isDone={isDone(row)}
            shows={(name) => name !== 'end' && name !== 'hours'}
          >
            <DaysChip row={row} isDone={isDone(row)} />
          </RowFacts>
        </span>
        <PersonAvatar id={responsibleOf(row)} />
      </li>
    ))}
  </ul>
)

/** The days of an assignment that lasts several, or is late. Otherwise, the heading says the only day. */
function DaysChip({ row, isDone }: { readonly row: Assignment; readonly isDone: boolean }) {
  const isOverdue = isLate(row, isDone)
  if (dayOf(row.startDate) === dayOf(row.endDate) && !isOverdue) return null
  return (
    <span class="due" data-color={isOverdue ? 'red' : undefined}>
      <Icon name={isOverdue ? 'clock' : 'calendar'} />
      {dateFormat('short').formatRange(dateOf(row.startDate), dateOf(row.endDate))}
      {isOverdue && <span class="visually-hidden"> {t('Overdue')}</span>}
    </span>
  )
}
