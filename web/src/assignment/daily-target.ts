import { signal } from '@preact/signals'
import { hoursPerDay } from '../time/hours.ts'

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
