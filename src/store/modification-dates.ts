import { type Repetition, repeat } from '../schedule/repeat.ts'
import type { Database, Queries } from './database.ts'
import { sql } from './sql.ts'

/**
 * Dates for answers, in whole seconds since 1970 by the store's clock. `dateOf` gives the date of the newest change, or
 * nothing while it cannot be promised. Ask before the answer is read: what is known then holds for what is read later.
 */
export type ModificationDates = () => Promise<DateOf>
export type DateOf = (lastChangeSecond: number | null | undefined) => number | undefined

/** Old enough to ask the store again: dates have whole seconds. */
const freshMilliseconds = 500
/** While somebody reads or writes, the store is asked once a second, so that a date is known when it is wanted. */
const askEveryMilliseconds = 1000
const idleAfterMilliseconds = 10_000
/** How many dates are remembered. A forgotten one is given anew, later, which costs its reader one full answer. */
const datesRememberedMax = 1000
const settlementsRememberedMax = 60

/** Every transaction that wrote anything before `until` was seen to have ended at `seenAt`. */
interface Settlement {
  readonly until: number
  readonly seenAt: number
}

interface Mark {
  /** The store's clock, read before the number was given out. */
  readonly second: number
  readonly transaction: string
}

export function createModificationDates(
  database: Queries & Pick<Database, 'onCommit'>,
  now: () => number = () => performance.now(),
): ModificationDates {
  const settlements: Settlement[] = []
  const dates = new Map<number, number>()
  let storeSecond = 0
  let pending: Mark | undefined
  let isAsking = false
  let askedAt = Number.NEGATIVE_INFINITY

  /** One at a time, so that what is known only grows. */
  async function ask() {
    if (isAsking) return
    isAsking = true
    askedAt = now()
    try {
      const mark = pending ?? (await setMark(database))
      pending = mark
      const { hasPassed, second } = await look(database, mark)
      storeSecond = second
      if (!hasPassed) return
      settlements.push({ until: mark.second, seenAt: second })
      if (settlements.length > settlementsRememberedMax) settlements.shift()
      pending = undefined
    } finally {
      isAsking = false
    }
  }

  /** The whole second after the settlement was seen: no answer without the change carries that date, as a Date either. */
  function dateAfter(lastChangeSecond: number): number | undefined {
    const known = dates.get(lastChangeSecond)
    const settlement = settlements.find(({ until }) => until >= lastChangeSecond + 1)
    if (known !== undefined || settlement === undefined) return known
    const date = Math.floor(settlement.seenAt) + 1
    dates.set(lastChangeSecond, date)
    for (const oldest of dates.keys()) if (dates.size > datesRememberedMax) dates.delete(oldest)
    return date
  }

  const touch = askWhileTouched(ask)
  database.onCommit(touch)
  return async () => {
    touch()
    // While one caller asks, the others take what is known: it stays true for ever.
    if (now() - askedAt >= freshMilliseconds) await ask()
    const known = storeSecond
    return (lastChangeSecond) => {
      const date = typeof lastChangeSecond === 'number' ? dateAfter(lastChangeSecond) : undefined
      // That second must be over too, or the next change could get the same date.
      return date !== undefined && date <= known ? date : undefined
    }
  }
}

/** Asks in the background from one use to the next, and stops when there is none for a while. */
function askWhileTouched(ask: () => Promise<void>): () => void {
  let asking: Repetition | undefined
  let touchedAt = 0
  return () => {
    touchedAt = performance.now()
    // A store that does not answer is asked again.
    asking ??= repeat({ everyMilliseconds: askEveryMilliseconds, onFailure: () => undefined }, async () => {
      if (performance.now() - touchedAt <= idleAfterMilliseconds) return ask()
      void asking?.stop()
      asking = undefined
    })
  }
}

/** Every transaction that wrote before this moment has an older number than the one that this takes. */
async function setMark(database: Queries): Promise<Mark> {
  const [mark] = await database.query<Mark>(sql`
    select extract(epoch from statement_timestamp())::float8 as second, pg_current_xact_id()::text as transaction`)
  if (!mark) throw new Error('The store did not tell its time.')
  return mark
}

async function look(database: Queries, { transaction }: Mark) {
  const [row] = await database.query<{ hasPassed: boolean; second: number }>(sql`
    select pg_snapshot_xmin(settled_snapshot()) >= ${transaction}::xid8 as "hasPassed",
      extract(epoch from statement_timestamp())::float8 as second`)
  return { hasPassed: row?.hasPassed === true, second: row?.second ?? 0 }
}
