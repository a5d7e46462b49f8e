import { signal } from '@preact/signals'
import { t } from '../texts/text.ts'
import { dayOf, isWeekend } from '../time/days.ts'
import { formatHours, formatNumber, hoursPerDay, roundHours, sumHours } from '../time/hours.ts'

const storageKey = 'tracker.daily-hours'
const defaultHours = 8

const isPossible = (hours: number): boolean => hours > 0 && hours <= hoursPerDay

function readStored(): number {
  const hours = Number(localStorage.getItem(storageKey) ?? defaultHours)
  return isPossible(hours) ? hours : defaultHours
}

const chosen = signal<number | undefined>(undefined)

/** The hours of a working day, stored in this browser. */
export const dailyTarget = (): number => chosen.value ?? readStored()

/** Stores the hours of a working day. Undefined or an impossible number changes nothing. */
export function chooseDailyTarget(hours: number | undefined): void {
  if (hours === undefined || !isPossible(hours)) return
  localStorage.setItem(storageKey, String(hours))
  chosen.value = hours
}

/** The hours that are due on a day: none on a Saturday or Sunday. */
export const targetOn = (day: string): number => (isWeekend(day) ? 0 : dailyTarget())

interface Recorded {
  readonly keepDate: string
  readonly amountHours: number
}

/**
 * Returns the hours that are still free on these days. Hours over the target of a day, and those of a weekend,
 * do not reduce the free hours of other days, so the free hours of the days of a week add up to those of the week.
 */
export const freeHours = (days: readonly string[], entries: readonly Recorded[]): number =>
  roundHours(
    days.reduce((sum, day) => {
      const recorded = sumHours(entries.filter(({ keepDate }) => dayOf(keepDate) === day))
      return sum + Math.max(0, targetOn(day) - recorded)
    }, 0),
  )

/** Compares the recorded hours of a day with those that are due. On a weekend without hours, it is empty. */
export function todayText(hours: number, day: string): string {
  const target = targetOn(day)
  if (target > 0)
    return t('{hours} of {target} today', { hours: formatNumber(hours), target: formatHours(target) })
  return hours > 0 ? t('{hours} today', { hours: formatHours(hours) }) : ''
}
