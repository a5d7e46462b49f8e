import { type Repetition, repeat } from '../model/repeat.ts'
import type { Database, Queries } from './database.ts'
import { sql } from './sql.ts'

/** Dates for responses. Call this before reading the response body: what is known now also holds later. */
export type ModificationDates = () => Promise<KnownDates>

/** Whole seconds since 1970 by the clock of the database, because the clocks of hosts may differ. */
export interface KnownDates {
  /** This second has begun: everything committed before it can be read. */
  readonly second: number
  /**
   * Returns the date of the newest change: a response read in this second or later contains that change.
   * Undefined while that cannot be promised, and while the second has not begun.
   */
  dateOf(lastChangeSecond: number | null | undefined): number | undefined
}

/** Frequent enough, because dates have whole seconds. */
const freshMilliseconds = 500
/**
 * While there are reads or writes, the database is asked every second, so that dates are known when needed.
 */
const askEveryMilliseconds = 1000
const idleAfterMilliseconds = 10_000
/** A date that was dropped is determined again later, which costs its reader one full response. */
const datesRememberedMax = 1000
const settlementsRememberedMax = 60

/** Every transaction that wrote anything before `until` had ended by `seenAt`. */
interface Settlement {
  readonly until: number
  readonly seenAt: number
}

interface Mark {
  /** Read from the database's clock before the transaction number was assigned. */
  readonly second: number
  readonly transaction: string
}

export function createModificationDates(
  database: Queries & Pick<Database, 'onCommit'>,
  now: () => number = () => performance.now(),
): ModificationDates {
  const settlements: Settlement[] = []
  const dates = new Map<number, number>()
  let storeSecond: number | undefined
  let pending: Mark | undefined
  let asking: Promise<void> | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  /** Runs one query at a time, so that knowledge only grows. */
  function ask(): Promise<void> {
    if (asking === undefined) {
      askedAt = now()
      asking = poll().finally(() => {
        asking = undefined
      })
    }
    return asking
  }

  async function poll() {
    const mark = pending ?? (await setMark(database))
    pending = mark
    const { hasPassed, second } = await lookAt(database, mark)
    storeSecond = Math.floor(second)
    if (!hasPassed) return
    settlements.push({ until: mark.second, seenAt: second })
    if (settlements.length > settlementsRememberedMax) settlements.shift()
    pending = undefined
  }

  /**
   * Returns the whole second after the settlement was seen: a response without the change was read earlier,
   * and has an earlier Date.
   */
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
    // While one caller asks, the others use what is known, because that stays true.
    const isOld = asking === undefined && now() - askedAt >= freshMilliseconds
    if (isOld || storeSecond === undefined) await ask()
    const second = storeSecond ?? 0
    return {
      second,
      dateOf(lastChangeSecond) {
        const date = typeof lastChangeSecond === 'number' ? dateAfter(lastChangeSecond) : undefined
        return date !== undefined && date <= second ? date : undefined
      },
    }
  }
}

/** Asks in the background from one use to the next, and stops after a period without any. */
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

/** Every transaction that wrote earlier has a lower number than the one assigned here. */
async function setMark(database: Queries): Promise<Mark> {
  const [mark] = await database.query<Mark>(sql`
    select extract(epoch from statement_timestamp())::float8 as second, pg_current_xact_id()::text as transaction`)
  if (!mark) throw new Error('The store returned no time.')
  return mark
}

/** Reads the clock after taking the snapshot, so everything the snapshot shows as ended had ended by then. */
async function lookAt(database: Queries, { transaction }: Mark) {
  const [row] = await database.query<{ hasPassed: boolean; second: number }>(sql`
    select pg_snapshot_xmin(settled_snapshot()) >= ${transaction}::xid8 as "hasPassed",
      extract(epoch from clock_timestamp())::float8 as second`)
  return { hasPassed: row?.hasPassed === true, second: row?.second ?? 0 }
}
