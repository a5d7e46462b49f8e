import { useMemo, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { type Change, useChangeMany } from '../../assignment/change-many.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { addDays, dayOf, endTimestampOf, formatDay } from '../../time/days.ts'

type Assignment = RecordOf<'assignment'>

export interface Shift {
  /** Moves both days by this many. */
  readonly days?: number
  /** Moves only the end. */
  readonly endDays?: number
  /** The new responsible person. */
  readonly userId?: string
}

/** Changes the days or the person of one assignment: shown at once, and reverted with a message after an error. */
export function useReschedule(
  stored: readonly Assignment[],
  onChanged: (rows: readonly Assignment[]) => void,
) {
  const { people, toasts } = useServices()
  const [pending, setPending] = useState<ReadonlyMap<string, Change>>(new Map())
  const change = useChangeMany(onChanged)
  const rows = useMemo(
    () => (pending.size === 0 ? stored : stored.map((row) => withChange(row, pending.get(row.id)))),
    [stored, pending],
  )
  const reschedule = async (row: Assignment, shift: Shift) => {
    const { requested, isCut } = changeOf(row, shift)
    if (isCut)
      toasts.show({
        kind: 'problem',
        text: t('{name} starts on {from} and cannot end before that.', {
          name: row.name,
          from: formatDay(row.startDate),
        }),
      })
    if (Object.keys(requested).length === 0) return
    setPending((all) => new Map(all).set(row.id, { ...all.get(row.id), ...requested }))
    const after = { ...row, ...requested }
    const values = {
      name: row.name,
      from: formatDay(dayOf(after.startDate)),
      to: formatDay(dayOf(after.endDate)),
      person: people.nameOf(after.userId),
    }
    const said =
      requested.userId === undefined
        ? t('{name} is now from {from} to {to}.', values)
        : t('{name} is now for {person}, from {from} to {to}.', values)
    await change(
      [row],
      () => requested,
      () => said,
    )
    setPending((all) => new Map([...all].filter(([id, one]) => id !== row.id || !isSame(one, requested))))
  }
  return { rows, reschedule }
}

/** Returns the same row if nothing changes, so that its bar is not rendered again. */
const withChange = (row: Assignment, change: Change | undefined): Assignment =>
  change === undefined ? row : { ...row, ...change }

/** Skipped if it was changed again meanwhile. */
const isSame = (one: Change, other: Change): boolean =>
  Object.entries(other).every(([name, value]) => one[name as keyof Change] === value)

/** An end before the start stays on the start. */
function changeOf(row: Assignment, { days = 0, endDays = 0, userId = row.userId }: Shift) {
  const [start, end] = [dayOf(row.startDate), dayOf(row.endDate)]
  const startDate = days === 0 ? row.startDate : addDays(start, days)
  const moved = addDays(end, days + endDays)
  const isCut = moved < dayOf(startDate)
  const nextEnd = isCut ? dayOf(startDate) : moved
  const requested: Change = {
    ...(days !== 0 && { startDate }),
    ...(nextEnd !== end && { endDate: endTimestampOf(nextEnd, undefined, startDate) }),
    ...(userId !== row.userId && { userId }),
  }
  return { requested, isCut }
}
