import { t } from '../../../texts/text.ts'
import { addDays, dayOf, daysBetween, daysInWeek, formatWeek, isWeekend } from '../../../time/days.ts'
import { formatPlanned, type Planned, plannedHours } from '../../../time/hours.ts'

export function plannedHoursByDay(
  rows: readonly Planned[],
  from: string,
  dayCount: number,
): readonly number[] {
  const days = Array.from({ length: dayCount }, (_, index) => addDays(from, index))
  const sums = days.map(() => 0)
  const weekends = days.map(isWeekend)
  for (const row of rows) {
    const [start, end] = [dayOf(row.startDate), dayOf(row.endDate)]
    const first = Math.max(0, daysBetween(from, start))
    const last = Math.min(dayCount - 1, daysBetween(from, end))
    // All working days of an assignment have equal hours, and all weekend days have equal hours, so each is
    // computed once.
    const [workdayHours = 0, weekendHours = 0] = [false, true].map((isWeekendDay) => {
      const dayIndex = days.findIndex(
        (_, index) => index >= first && index <= last && weekends[index] === isWeekendDay,
      )
      const day = days[dayIndex]
      return day === undefined ? 0 : plannedHours(row, day, addDays(day, 1))
    })
    for (let index = first; index <= last; index += 1)
      sums[index] = (sums[index] ?? 0) + (weekends[index] ? weekendHours : workdayHours)
  }
  return sums
}

type LoadLevel = 'within' | 'over' | 'far-over'

/** Hours above this multiple of the target are marked more strongly. */
export const farOverFactor = 1.5
/** Rounding errors must not count as overload. */
const tolerance = 0.01

export function loadLevelOf(hours: number, target: number): LoadLevel {
  if (hours <= target + tolerance) return 'within'
  return hours <= target * farOverFactor + tolerance ? 'over' : 'far-over'
}

export const workingDaysOfWeek = 5

export interface WeekLoad {
  readonly startIndex: number
  /** The index of its first day with hours. In a week without hours, the index of its first day. */
  readonly firstBusyIndex: number
  readonly hours: number
  readonly target: number
}

/**
 * Sums the hours of each block of seven days. A block has five working days, whichever weekday it begins with.
 */
export function weekLoadsOf(hoursByDay: readonly number[], dailyTarget: number): readonly WeekLoad[] {
  const target = dailyTarget * workingDaysOfWeek
  return Array.from({ length: Math.ceil(hoursByDay.length / daysInWeek) }, (_, week) => {
    const startIndex = week * daysInWeek
    const ofWeek = hoursByDay.slice(startIndex, startIndex + daysInWeek)
    const hours = ofWeek.reduce((sum, dayHours) => sum + dayHours, 0)
    const firstBusyIndex =
      startIndex +
      Math.max(
        0,
        ofWeek.findIndex((dayHours) => dayHours > tolerance),
      )
    return { startIndex, firstBusyIndex, hours, target }
  })
}

export const isExceeded = ({ hours, target }: WeekLoad): boolean => loadLevelOf(hours, target) !== 'within'

/** Says in which week hours are over the target, or in how many. Without such a week, it says how many are planned. */
export function describeWeeks(from: string, weeks: readonly WeekLoad[]): string {
  const [first, ...others] = weeks.filter(isExceeded)
  if (first === undefined) {
    const hours = weeks.reduce((sum, week) => sum + week.hours, 0)
    return hours > 0 ? t('{hours} planned', { hours: formatPlanned(hours) }) : ''
  }
  const over = formatPlanned([first, ...others].reduce((sum, { hours, target }) => sum + hours - target, 0))
  return others.length === 0
    ? t('{over} over, {week}', { over, week: formatWeek(addDays(from, first.startIndex), 'short') })
    : t('{over} over in {count} weeks', { over, count: 1 + others.length })
}
