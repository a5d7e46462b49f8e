import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { responsibleOf } from '../../../data/planned.ts'
import { colorIn } from '../../../data/project-stages.ts'
import { catalogQuery, useListing } from '../../../data/use-listing.ts'
import { assignmentPath } from '../../../router/router.ts'
import { useServices } from '../../../services/services.ts'
import { t } from '../../../texts/text.ts'
import {
  addDays,
  addMonths,
  dateFormat,
  dateOf,
  dayOf,
  daysBetween,
  daysInWeek,
  daysOfWeek,
  formatDay,
  formatWeekday,
  mondayOf,
  today,
} from '../../../time/days.ts'
import { PersonAvatar } from '../../../ui/avatar.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { SubscribeDialog } from '../../../ui/lazy-dialog.tsx'
import { EmptyState, LoadProblem } from '../../../ui/notes.tsx'
import { useMedia } from '../../../ui/use-media.ts'
import { PeriodSteps } from '../period-steps.tsx'
import { UnscheduledLink, useUnscheduledCount } from '../unscheduled-link.tsx'
import { useCardFocus } from '../use-card-focus.ts'
import { usePeriodRows } from '../use-period-rows.ts'
import type { ProjectViewProps } from '../view-props.ts'
import { ViewSkeleton } from '../view-skeleton.tsx'
import { CalendarWeek, type CalendarWeekProps } from './calendar-week.tsx'

type Assignment = RecordOf<'assignment'>

/** Shows a month of assignments, each from its start to its end. Dragging a bar, or Shift and an arrow key, moves it. */
export function CalendarView(props: ProjectViewProps) {
  const { scope, openId, query } = props
  const { configuration, router, session } = useServices()
  const month = parseMonth(new URLSearchParams(query).get('month'))
  const weeks = weeksOf(month)
  const [first = '', last = ''] = [weeks[0], weeks.at(-1)]
  const listing = usePeriodRows(props, first, addDays(last, daysInWeek))
  const unscheduledCount = useUnscheduledCount(scope.projectId)
  const isLoading = listing.isLoading || unscheduledCount === undefined
  const [isSubscribing, setSubscribing] = useState(false)
  const types = useListing('assignmentType', catalogQuery).rows
  const keepFocusOn = useCardFocus()
  const isNarrow = useMedia('(max-width: 760px)')
  const goTo = (next: string) => router.setQuery({ month: next === thisMonth() ? '' : next })
  const shift = (row: Assignment, days: number) => {
    keepFocusOn(row.id)
    void listing.reschedule(row, { days })
  }
  const isDone = (row: Assignment) => scope.doneIds.has(row.workflowId)
  const isMine = (row: Assignment) => responsibleOf(row) === session.person.value?.id
  const colorOf = (row: Assignment) => colorIn(scope.stages, row.workflowId)
  const typeOf = (row: Assignment) => types.find(({ id }) => id === row.assignmentTypeId)?.name
  // Its key makes it another element than the one below, which is elsewhere.
  if (props.isNameLoading) return <ViewSkeleton key="name" view="calendar" />
  return (
    <>
      <div class="timeline-tools">
        <PeriodSteps
          label={dateFormat('month').format(dateOf(`${month}-01`))}
          isNow={month === thisMonth()}
          labels={{ before: t('Previous month'), after: t('Next month'), now: t('This month') }}
          onStep={(count) => goTo(addMonths(`${month}-01`, count).slice(0, 7))}
          onNow={() => goTo(thisMonth())}
        />
        {!isLoading && <UnscheduledLink projectId={scope.projectId} count={unscheduledCount} />}
        {configuration.extensions && (
          <button type="button" class="button quiet" onClick={() => setSubscribing(true)}>
            <Icon name="calendar" />
            <span>{t('Subscribe')}</span>
          </button>
        )}
      </div>
      {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
      {isLoading && <ViewSkeleton view="calendar" />}
      {!isLoading && isNarrow && <Agenda rows={listing.rows} month={month} query={query} isDone={isDone} />}
      {!isLoading && !isNarrow && (
        <Month
          weeks={weeks}
          month={month}
          rows={listing.rows}
          isStale={listing.isStale}
          openId={openId}
          query={query}
          isDone={isDone}
          isMine={isMine}
          colorOf={colorOf}
          typeOf={typeOf}
          onShift={shift}
          moreOf={(day) => (
            <>
              <h2>{dateFormat('whole').format(dateOf(day))}</h2>
              <DayRows rows={rowsOn(listing.rows, day)} query={query} isDone={isDone} />
            </>
          )}
        />
      )}
      {isSubscribing && <SubscribeDialog projectId={scope.projectId} onClose={() => setSubscribing(false)} />}
    </>
  )
}

interface MonthProps extends Pick<CalendarWeekProps, 'month' | 'rows' | 'openId' | 'query'> {
  readonly weeks: readonly string[]
  readonly isStale: boolean
  isDone(row: Assignment): boolean
  isMine(row: Assignment): boolean
  colorOf: CalendarWeekProps['colorOf']
  typeOf: CalendarWeekProps['typeOf']
  moreOf: CalendarWeekProps['moreOf']
  onShift(row: Assignment, days: number): void
}

const rowsOn = (rows: readonly Assignment[], day: string): readonly Assignment[] =>
  rows.filter((row) => dayOf(row.startDate) <= day && dayOf(row.endDate) >= day)

function Month({ weeks, isStale, ...shared }: MonthProps) {
  const [dragged, setDragged] = useState<{ readonly row: Assignment; readonly from: string }>()
  const [first = ''] = weeks
  const calendar = useRef<HTMLElement>(null)
  const lineCount = useLineCount(calendar, weeks.length)
  return (
    <section ref={calendar} class="calendar" aria-label={t('Calendar')} aria-busy={isStale}>
      <div class="calendar-head" aria-hidden="true">
        {daysOfWeek(first).map((day) => (
          <span key={day}>{formatWeekday(day)}</span>
        ))}
      </div>
      {weeks.map((monday) => (
        <CalendarWeek
          key={monday}
          {...shared}
          monday={monday}
          isFirstWeek={monday === first}
          lineCount={lineCount}
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

/** The number of a day and the button for more of it, and the row of weekdays, in rem. */
const [dayRem, headRem] = [3.25, 2]
const barRem = 1.75
/** A month of six weeks with this many fits a window of 900 pixels; a lower one scrolls. */
const linesMin = 2

/** Returns how many bars fit into a week, so that the whole month fits the window. */
function useLineCount(calendar: { readonly current: HTMLElement | null }, weekCount: number): number {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    const measure = () => setHeight(calendar.current?.clientHeight ?? 0)
    measure()
    const observer = new ResizeObserver(measure)
    if (calendar.current !== null) observer.observe(calendar.current)
    return () => observer.disconnect()
  }, [])
  const rem = height / Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Math.max(linesMin, Math.floor(((rem - headRem) / weekCount - dayRem) / barRem))
}

const thisMonth = (): string => today().slice(0, 7)

/** Parses the month in the address; anything else means the current month. */
const parseMonth = (text: string | null): string =>
  text !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : thisMonth()

/** The Mondays whose weeks have a day of the month. */
function weeksOf(month: string): readonly string[] {
  const monday = mondayOf(`${month}-01`)
  const all = Array.from({ length: 6 }, (_, index) => addDays(monday, index * daysInWeek))
  return all.filter((one) => one.slice(0, 7) <= month)
}

export interface AgendaProps {
  readonly rows: readonly Assignment[]
  readonly month: string
  readonly query: string
  isDone(row: Assignment): boolean
}

/** The month as a list of the days on which an assignment ends, where seven columns do not fit. */
function Agenda({ rows, month, query, isDone }: AgendaProps) {
  const ends = Map.groupBy(
    rows.toSorted((a, b) => (a.endDate < b.endDate ? -1 : 1)),
    ({ endDate }) => dayOf(endDate),
  )
  const days = [...ends].filter(([day]) => day.startsWith(month))
  const endingLater = rows.filter(({ endDate }) => dayOf(endDate).slice(0, 7) > month)
  if (rows.length === 0)
    return (
      <EmptyState icon="calendar" title={t('Nothing this month')}>
        <p>{t('Choose another month, or add an assignment.')}</p>
      </EmptyState>
    )
  return (
    <section class="agenda" aria-label={t('Calendar')}>
      {days.map(([day, some]) => (
        <section key={day} class="group" aria-label={dateFormat('whole').format(dateOf(day))}>
          <h2 class={day === today() ? 'today' : ''}>{dateFormat('whole').format(dateOf(day))}</h2>
          <DayRows rows={some} query={query} isDone={isDone} />
        </section>
      ))}
      {endingLater.length > 0 && (
        <section class="group" aria-label={t('Ends later')}>
          <h2>{t('Ends later')}</h2>
          <DayRows rows={endingLater} query={query} isDone={isDone} />
        </section>
      )}
    </section>
  )
}

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
