import { signal } from '@preact/signals'

const key = 'tracker.daily-hours'
const usualHours = 8
/** Nobody has more. */
export const hoursOfDay = 24

const read = (): number => {
  const hours = Number(localStorage.getItem(key) ?? usualHours)
  return hours > 0 && hours <= hoursOfDay ? hours : usualHours
}

const chosen = signal<number | undefined>(undefined)

/** How many hours somebody works on a working day: a choice of this browser. */
export const dailyTarget = (): number => chosen.value ?? read()

/** What is no possible number of hours leaves it as it is. */
export function chooseDailyTarget(hours: number): void {
  if (!(hours > 0 && hours <= hoursOfDay)) return
  localStorage.setItem(key, String(hours))
  chosen.value = hours
}
