import { signal } from '@preact/signals'
import { filter, limits, type Tracker } from '#tracker-client'

/** Larger numbers of entries are not added up here. */
const entriesMax = 1000

/** The hours recorded by all users on each of the assignments; undefined where there are too many. Part of the extensions. */
export async function recordedHours(
  tracker: Tracker,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  const hundredths = new Map(ids.map((id) => [id, 0]))
  if (ids.length === 0 || ids.length > limits.ids) return undefined
  const question = {
    filter: filter`assignmentId in ${ids}`,
    fields: ['assignmentId', 'amountHours'],
  } as const
  // A filter fits about 40 ids.
  if (question.filter.length > limits.filter) return undefined
  let entries = 0
  for await (const { assignmentId, amountHours } of tracker.appointments.rows(question, { signal })) {
    entries += 1
    if (entries > entriesMax) return undefined
    hundredths.set(assignmentId, (hundredths.get(assignmentId) ?? 0) + Math.round(amountHours * 100))
  }
  return new Map([...hundredths].map(([id, sum]) => [id, sum / 100]))
}

const key = 'tracker.daily-hours'
const usualHours = 8
/** The largest number of hours in a day. */
export const hoursOfDay = 24

const read = (): number => {
  const hours = Number(localStorage.getItem(key) ?? usualHours)
  return hours > 0 && hours <= hoursOfDay ? hours : usualHours
}

const chosen = signal<number | undefined>(undefined)

/** The hours of a working day; stored in this browser. */
export const dailyTarget = (): number => chosen.value ?? read()

/** An impossible number of hours is ignored. */
export function chooseDailyTarget(hours: number): void {
  if (!(hours > 0 && hours <= hoursOfDay)) return
  localStorage.setItem(key, String(hours))
  chosen.value = hours
}
