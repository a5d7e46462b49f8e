import { signal } from '@preact/signals'
import { queryOf } from '../api/api.ts'
import type { Send } from '../api/send.ts'
import { limits } from '../api/types.ts'

/** 1,000 entries; larger numbers are not added up here. */
const pagesMax = 10

interface Page {
  readonly data: readonly { readonly assignmentId: string; readonly amountHours: number }[]
  readonly nextCursor: string | null
}

/** The hours recorded by all users on each of the assignments; undefined where there are too many. Part of the extensions. */
export async function recordedHours(
  send: Send,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  const hundredths = new Map(ids.map((id) => [id, 0]))
  if (ids.length === 0 || ids.length > limits.ids) return undefined
  const filter = `assignmentId in (${ids.map((id) => `'${id}'`).join(',')})`
  // A filter fits about 40 ids.
  if (filter.length > limits.filter) return undefined
  let cursor: string | undefined
  for (let page = 1; page <= pagesMax; page += 1) {
    const query = { filter, fields: 'assignmentId,amountHours', pageSize: limits.pageSize, cursor }
    const response = await send({ path: `/ext/query/appointments${queryOf(query)}`, signal })
    const { data, nextCursor } = ((await response.json()) as { readonly result: Page }).result
    for (const { assignmentId, amountHours } of data)
      hundredths.set(assignmentId, (hundredths.get(assignmentId) ?? 0) + Math.round(amountHours * 100))
    if (nextCursor === null) return new Map([...hundredths].map(([id, sum]) => [id, sum / 100]))
    cursor = nextCursor
  }
  return undefined
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
