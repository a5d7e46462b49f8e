import { signal } from '@preact/signals'
import { filter, limits, type Tracker } from '#tracker-client'
import { hoursPerDay } from '../time/hours.ts'

/** Sums of more entries would take too many requests, so they are not shown. */
const entriesMax = 1000

/**
 * Loads the hours that all users have recorded on each of the assignments; undefined if there are too many entries. Part of the
 * extensions.
 */
export async function loadRecordedHours(
  tracker: Tracker,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  // Sums of fractions drift, so hundredths are added.
  const hundredths = new Map(ids.map((id) => [id, 0]))
  if (ids.length === 0 || ids.length > limits.ids) return undefined
  const query = {
    filter: filter`assignmentId in ${ids}`,
    fields: ['assignmentId', 'amountHours'],
  } as const
  // A filter has room for about 40 ids.
  if (query.filter.length > limits.filter) return undefined
  let entries = 0
  for await (const { assignmentId, amountHours } of tracker.appointments.rows(query, { signal })) {
    entries += 1
    if (entries > entriesMax) return undefined
    hundredths.set(assignmentId, (hundredths.get(assignmentId) ?? 0) + Math.round(amountHours * 100))
  }
  return new Map([...hundredths].map(([id, sum]) => [id, sum / 100]))
}

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
