import { useServices } from '../../../services/services.ts'
import { t } from '../../../texts/text.ts'
import {
  addDays,
  addMonths,
  dateFormat,
  dateOf,
  daysInWeek,
  formatWeek,
  mondayOf,
  parseWeek,
  today,
} from '../../../time/days.ts'

export const calendarSpans = ['week', 'month'] as const
type Span = (typeof calendarSpans)[number]

/** The shown weeks, and the steps to other ones. */
export interface CalendarPeriod {
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
export function useCalendarPeriod(query: string, isList: boolean): CalendarPeriod {
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
