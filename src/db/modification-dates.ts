import { type RepeatedWork, repeat } from '../model/repeat.ts'
import { hasSettledBefore } from './change-log.ts'
import type { Database, Queries } from './database.ts'
import { sql } from './sql.ts'

/**
 * Returns the possible values of `Last-Modified`. It must be called before rows are read, because the dates
 * must not be newer than the rows.
 */
export type ModificationDates = () => Promise<KnownDates>

/** Dates in seconds since 1970, by the clock of the database. */
export interface KnownDates {
  /** The current second of the database. Everything that was committed before this second is visible. */
  readonly second: number
  /**
   * Returns a date for the newest change. Everything that is read in that second or later contains the
   * change. Returns undefined if there is no such date yet.
   */
  dateOf(lastChangeSecond: number | null | undefined): number | undefined
}

/** Known dates are used for this long without a query, because dates have a resolution of a second. */
const freshMilliseconds = 500
/** While there are reads or writes, the database is queried this often. */
const refreshMilliseconds = 1000
/** After this many refreshes without a read or write, the database is no longer queried. */
const idleRefreshesMax = 10
/** A date that was dropped is determined again. Until then, clients get a full response. */
const datesRememberedMax = 1000
const settlementsRememberedMax = 60

/** Every transaction that wrote before `until` had ended by `seenAt`. */
interface Settlement {
  readonly until: number
  readonly seenAt: number
}

interface Mark {
  /** The time of the database before the transaction number was assigned. */
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
  let refreshing: Promise<void> | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY

  /** Only one query runs at a time, so an older result never replaces a newer result. */
  function refresh(): Promise<void> {
    if (refreshing === undefined) {
      refreshedAt = now()
      refreshing = poll().finally(() => {
        refreshing = undefined
      })
    }
    return refreshing
  }

  async function poll() {
    const mark = pending ?? (await setMark(database))
    pending = mark
    const { hasPassed, second } = await checkMark(database, mark)
    storeSecond = Math.floor(second)
    if (!hasPassed) return
    settlements.push({ until: mark.second, seenAt: second })
    if (settlements.length > settlementsRememberedMax) settlements.shift()
    pending = undefined
  }

  /**
   * Returns the first whole second after the settlement was seen. Responses without the change have an
   * earlier date.
   */
  function dateAfter(lastChangeSecond: number): number | undefined {
    const existing = dates.get(lastChangeSecond)
    if (existing !== undefined) return existing
    const settlement = settlements.find(({ until }) => until >= lastChangeSecond + 1)
    if (settlement === undefined) return undefined
    const date = Math.floor(settlement.seenAt) + 1
    dates.set(lastChangeSecond, date)
    const [oldest] = dates.keys()
    if (dates.size > datesRememberedMax && oldest !== undefined) dates.delete(oldest)
    return date
  }

  const recordUse = refreshWhileUsed(refresh)
  database.onCommit(recordUse)
  return async () => {
    recordUse()
    // Other callers use the known dates while a refresh is in progress.
    const isOld = refreshing === undefined && now() - refreshedAt >= freshMilliseconds
    if (isOld || storeSecond === undefined) await refresh()
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

/** Returns a function that records a use. While there are uses, dates are refreshed in the background. */
function refreshWhileUsed(refresh: () => Promise<void>): () => void {
  let repeating: RepeatedWork | undefined
  let idleRefreshes = 0
  return () => {
    idleRefreshes = 0
    // After an error, the next refresh tries again.
    repeating ??= repeat({ everyMilliseconds: refreshMilliseconds, onFailure: () => undefined }, async () => {
      idleRefreshes += 1
      if (idleRefreshes <= idleRefreshesMax) return refresh()
      void repeating?.stop()
      repeating = undefined
    })
  }
}

/** Assigns a transaction number. Every transaction that wrote earlier has a lower number. */
async function setMark(database: Queries): Promise<Mark> {
  const [mark] = await database.query<Mark>(sql`
    select extract(epoch from statement_timestamp())::float8 as second, pg_current_xact_id()::text as transaction`)
  if (!mark) throw new Error('The store returned no time.')
  return mark
}

/** Checks whether all earlier transactions have ended. The clock is read after the snapshot was taken. */
async function checkMark(database: Queries, { transaction }: Mark) {
  const [row] = await database.query<{ hasPassed: boolean; second: number }>(sql`
    select ${hasSettledBefore(transaction)} as "hasPassed",
      extract(epoch from clock_timestamp())::float8 as second`)
  return { hasPassed: row?.hasPassed === true, second: row?.second ?? 0 }
}
