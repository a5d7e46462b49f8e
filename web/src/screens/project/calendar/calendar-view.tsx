import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { NewAssignmentDialog } from '../../../assignment/lazy-new-assignment.ts'
import { useRecordedHours } from '../../../assignment/use-recorded-hours.ts'
import { isLate, responsibleOf } from '../../../data/assignments.ts'
import { colorIn } from '../../../data/project-stages.ts'
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
  formatWeek,
  formatWeekday,
  mondayOf,
  parseWeek,
  today,
} from '../../../time/days.ts'
import { Icon } from '../../../ui/icon.tsx'
import { SubscribeDialog } from '../../../ui/lazy.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { LoadProblem } from '../../../ui/page-states.tsx'
import { ChoiceButtons } from '../../../ui/view-controls.tsx'
import { narrow, useMedia } from '../../../ui/viewport.ts'
import { barsOf, fitBars, neededLines, shareLines } from '../bars.ts'
import { type ProjectScope, useBlocked, useNameLookup } from '../name-lookup.ts'
import { PeriodSteps, UnscheduledLink, usePeriodRows, useUnscheduledCount } from '../period-view.tsx'
import { type ProjectViewProps, ViewSkeleton } from '../project-view.tsx'
import { RowFacts } from '../row-facts.tsx'
import { useCardFocus } from '../use-card-focus.ts'
import { Agenda, DayRows } from './agenda.tsx'
import { CalendarWeek, type CalendarWeekProps, lineRem, numberRem } from './calendar-week.tsx'

type Assignment = RecordOf<'assignment'>

/**
 * Shows the assignments of a month or a week as bars from start to end. A bar is moved by dragging, or with
 * Shift and an arrow key. In a week, it also has a line of facts.
 */
export function CalendarView(props: ProjectViewProps) {
  const { scope, openId, query } = props
  const { configuration } = useServices()
  // Seven columns do not fit into a narrow window.
  const isNarrow = useMedia(narrow)
  const period = useCalendarPeriod(query, isNarrow)
  const listing = usePeriodRows(props, ...usePeriodOf(period, isNarrow, scope))
  const unscheduledCount = useUnscheduledCount(scope.projectId)
  // Without its stages, the list would take done assignments for late ones, and begin at them.
  const isLoading = props.areStagesLoading || listing.isLoading || unscheduledCount === undefined
  const [isSubscribing, setSubscribing] = useState(false)
  const [newDay, setNewDay] = useState<string>()
  const keepFocusOn = useCardFocus()
  const shift = (row: Assignment, days: number) => {
    keepFocusOn(row.id)
    void listing.reschedule(row, { days })
  }
  const { names, ...looks } = useLooks(scope, isLoading, period.span)
  const rowProps = { query, names, isDone: looks.isDone }
  // The key keeps Preact from reusing this skeleton for the one below the tools, which would make it move.
  if (props.isNameLoading) return <ViewSkeleton key="name" view="calendar" />
  return (
    <>
      <div class="timeline-tools">
        <PeriodSteps {...period} onStep={period.step} onNow={period.goToNow} />
        {!isLoading && <UnscheduledLink projectId={scope.projectId} count={unscheduledCount} />}
        {!isNarrow && (
          <ChoiceButtons
            label={t('Zoom')}
            names={calendarSpans}
            current={period.span}
            labelOf={(span) => t(spanLabels[span])}
            onChoose={period.setSpan}
          />
        )}
        {configuration.extensions && (
          <SubscribeButton isNarrow={isNarrow} onClick={() => setSubscribing(true)} />
        )}
      </div>
      {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
      {isLoading && !listing.problem && <ViewSkeleton view="calendar" />}
      {!isLoading && isNarrow && (
        <Agenda {...rowProps} rows={listing.rows} month={period.month} isStale={listing.isStale} />
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

interface SubscribeButtonProps {
  readonly isNarrow: boolean
  onClick(): void
}

/** A narrow window has no room for the text of the button, so a menu replaces it. */
const SubscribeButton = ({ isNarrow, onClick }: SubscribeButtonProps) =>
  isNarrow ? (
    <Menu
      class="button quiet icon-only subscribe"
      label={t('More actions')}
      items={[{ label: t('Subscribe'), run: onClick }]}
    >
      <Icon name="more" />
    </Menu>
  ) : (
    <button type="button" class="button quiet subscribe" onClick={onClick}>
      <Icon name="calendar" />
      <span>{t('Subscribe')}</span>
    </button>
  )

/** The list of the current month also shows late assignments that ended in this many days before its weeks. */
const overdueDays = 4 * daysInWeek

/** Returns the first day to load, the day after the last day, and a predicate for the assignments to show. */
function usePeriodOf(
  { mondays, month, isNow }: CalendarPeriod,
  isList: boolean,
  { doneStageIds }: ProjectScope,
) {
  const [first = '', last = ''] = [mondays[0], mondays.at(-1)]
  const isShown = useCallback(
    (row: Assignment) =>
      !isList || dayOf(row.endDate) >= month || (isNow && isLate(row, doneStageIds.has(row.workflowId))),
    [isList, month, isNow, doneStageIds],
  )
  const from = isList && isNow ? addDays(first, -overdueDays) : first
  return [from, addDays(last, daysInWeek), isShown] as const
}

const noLabels: Parameters<typeof useNameLookup>[1] = new Map()

/** Returns the functions that decide how an assignment looks, and where its bar is. */
function useLooks(scope: ProjectScope, isLoading: boolean, span: Span) {
  const { session } = useServices()
  const recorded = useRecordedHours(scope, span === 'week' && !isLoading)
  const { blockReasons } = useBlocked(isLoading ? undefined : scope.projectId, scope.doneStageIds)
  const names = useNameLookup(scope, noLabels, blockReasons)
  const isDone = (row: Assignment) => scope.doneStageIds.has(row.workflowId)
  const isOwn = (row: Assignment) => responsibleOf(row) === session.person.value?.id
  return {
    names,
    isDone,
    isOwn,
    /**
     * A crowded day hides the work of others first, and done work before open work. Late work of others comes
     * before their other work.
     */
    rankOf(row: Assignment) {
      if (isOwn(row)) return isDone(row) ? 1 : 0
      if (isDone(row)) return 4
      return dayOf(row.endDate) < today() ? 2 : 3
    },
    blockReasonOf: names.blockReasonOf,
    factsOf:
      span === 'week'
        ? (row: Assignment) => (
            <RowFacts
              row={row}
              names={names}
              isDone={isDone(row)}
              recorded={recorded.get(row.id)}
              shows={() => true}
            />
          )
        : undefined,
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
  /** Returns whether the viewer is responsible. */
  isOwn(row: Assignment): boolean
  blockReasonOf: CalendarWeekProps['blockReasonOf']
  isDone(row: Assignment): boolean
  colorOf: CalendarWeekProps['colorOf']
  typeOf: CalendarWeekProps['typeOf']
  moreOf: CalendarWeekProps['moreOf']
  factsOf: CalendarWeekProps['factsOf']
  onAdd: CalendarWeekProps['onAdd']
  onShift(row: Assignment, days: number): void
}

const rowsOn = (rows: readonly Assignment[], day: string): readonly Assignment[] =>
  rows.filter((row) => dayOf(row.startDate) <= day && dayOf(row.endDate) >= day)

function Weeks({ period, rows, isStale, rankOf, isOwn, ...shared }: WeeksProps) {
  const { mondays: weeks, month, span } = period
  const [dragged, setDragged] = useState<{ readonly row: Assignment; readonly from: string }>()
  const [first = ''] = weeks
  const calendar = useRef<HTMLElement>(null)
  const bars = weeks.map((monday) => barsOf(rows, monday, daysInWeek, { rankOf }))
  const needed = bars.map((ofWeek) => neededLines(ofWeek, isOwn))
  const capacity = useLineCapacity(calendar, weeks.length)
  // The view of one week hides nothing, however many lines it needs.
  const lineCounts =
    span === 'week'
      ? needed.map(({ all }) => Math.max(all, linesLeast))
      : shareLines(needed, capacity, linesLeast)
  const fitted = fitBars(bars, lineCounts, isOwn)
  return (
    <section
      ref={calendar}
      class={`calendar ${dragged ? 'dragging' : ''}`}
      aria-label={t('Calendar')}
      aria-busy={isStale}
    >
      {span === 'month' && (
        <div class="calendar-head" aria-hidden="true">
          {daysOfWeek(first).map((day) => (
            <span key={day}>{formatWeekday(day)}</span>
          ))}
        </div>
      )}
      {weeks.map((monday, index) => (
        <CalendarWeek
          key={monday}
          {...shared}
          month={month}
          monday={monday}
          isFirstWeek={monday === first}
          shown={fitted[index]?.shown ?? []}
          hidden={fitted[index]?.hidden ?? []}
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

const calendarSpans = ['week', 'month'] as const
type Span = (typeof calendarSpans)[number]

/** The visible weeks, and the steps to other weeks. */
interface CalendarPeriod {
  readonly span: Span
  /** The Mondays of the weeks. */
  readonly mondays: readonly string[]
  /** The month whose days are emphasized. Empty for a week, where all days are emphasized. */
  readonly month: string
  readonly label: string
  readonly isNow: boolean
  readonly labels: { readonly before: string; readonly after: string; readonly now: string }
  step(count: -1 | 1): void
  goToNow(): void
  setSpan(span: Span): void
}

/** Returns the period in the address, by default this month. If `isList` is set, it is always a month. */
function useCalendarPeriod(query: string, isList: boolean): CalendarPeriod {
  const { router } = useServices()
  const parameters = new URLSearchParams(query)
  const isWeek = !isList && parameters.get('zoom') === 'week'
  const monday = parseWeek(parameters.get('from'))
  const month = parseMonth(parameters.get('month'))
  // The current month becomes this week, and another month its first week. A week becomes its Sunday's month.
  const setSpan = (span: Span) =>
    span === 'week'
      ? goToWeek(month === thisMonth() ? thisWeek() : mondayOf(`${month}-01`))
      : router.setQuery({ ...inMonth(addDays(monday, daysInWeek - 1).slice(0, 7)), zoom: '', from: '' })
  const goToWeek = (next: string) =>
    router.setQuery({ zoom: 'week', month: '', from: next === thisWeek() ? '' : next })
  const goToMonth = (next: string) => router.setQuery(inMonth(next))
  return isWeek
    ? {
        span: 'week',
        mondays: [monday],
        month: '',
        label: formatWeek(monday),
        isNow: monday === thisWeek(),
        labels: { before: t('Previous week'), after: t('Next week'), now: t('This week') },
        step: (count) => goToWeek(addDays(monday, count * daysInWeek)),
        goToNow: () => goToWeek(thisWeek()),
        setSpan,
      }
    : {
        span: 'month',
        mondays: mondaysOf(month),
        month,
        label: dateFormat('month').format(dateOf(`${month}-01`)),
        isNow: month === thisMonth(),
        labels: { before: t('Previous month'), after: t('Next month'), now: t('This month') },
        step: (count) => goToMonth(addMonths(`${month}-01`, count).slice(0, 7)),
        goToNow: () => goToMonth(thisMonth()),
        setSpan,
      }
}

const inMonth = (month: string) => ({ month: month === thisMonth() ? '' : month })

const thisMonth = (): string => today().slice(0, 7)
const thisWeek = (): string => mondayOf(today())

/** Parses the month in the address. Any other text means the current month. */
const parseMonth = (text: string | null): string =>
  text !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : thisMonth()

/** Returns the Mondays of the weeks that contain a day of the month. */
function mondaysOf(month: string): readonly string[] {
  const monday = mondayOf(`${month}-01`)
  const mondays = Array.from({ length: 6 }, (_, index) => addDays(monday, index * daysInWeek))
  return mondays.filter((day) => day.slice(0, 7) <= month)
}
