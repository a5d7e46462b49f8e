import { type RepeatedWork, repeat } from '../model/repeat.ts'
import { hasSettledBefore } from './change-log.ts'
import type { Database, Queries } from './database.ts'
import { raw, sql } from './sql.ts'

/**
 * Returns the possible values of `Last-Modified`. It must be called before rows are read, because the dates
 * must not be newer than the rows.
 */
export type ModificationDates = () => Promise<KnownDates>

/** The newest change that can affect a response, by its time or by its transaction. */
export interface LastChange {
  /** Seconds since 1970. Null if the change is no longer in the change log. */
  readonly lastChangeSecond?: number | null | undefined
  /** The `xmin` of the only row on which the response depends. */
  readonly lastTransaction?: number | undefined
}

/** Dates in seconds since 1970, by the clock of the database. */
export interface KnownDates {
  /** The current second of the database. Everything that was committed before this second is visible. */
  readonly second: number
  /**
   * Returns a date for the newest change. Everything that is read in that second or later contains the
   * change. Returns undefined if there is no such date yet.
   */
  dateOf(change: LastChange): number | undefined
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

/** Every transaction that is older than `transaction`, or wrote before `until`, had ended by `seenAt`. */
interface Settlement {
  /** A transaction number without its epoch, like `xmin`. */
  readonly transaction: number
  readonly until: number
  readonly seenAt: number
}

interface Mark {
  /** The time of the database before the transaction number was assigned. */
  readonly second: number
  readonly transaction: string
  readonly serverStartedAt: number
}

/** Transaction numbers are compared as on a circle, because they wrap around after 32 bits. */
const isOlder = (transaction: number, other: number): boolean => ((other - transaction) | 0) > 0

const withoutEpoch = (transaction: string): number => Number(BigInt.asUintN(32, BigInt(transaction)))

export function createModificationDates(
  database: Queries & Pick<Database, 'onCommit'>,
  now: () => number = () => performance.now(),
): ModificationDates {
  let settlements = createSettlements()
  let server: number | undefined
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
    const { hasPassed, second, serverStartedAt: startedAt } = await checkMark(database, mark)
    const isSameServer = mark.serverStartedAt === startedAt
    // Another server, such as one restored from a backup, may assign the same transaction numbers again.
    if (startedAt !== server) settlements = createSettlements()
    server = startedAt
    storeSecond = Math.floor(second)
    if (isSameServer && hasPassed) settlements.add(mark, second)
    pending = isSameServer && !hasPassed ? mark : undefined
  }

  const recordUse = refreshWhileUsed(refresh)
  database.onCommit(recordUse)
  return async () => {
    recordUse()
    // Other callers use the known dates while a refresh is in progress.
    const isOld = refreshing === undefined && now() - refreshedAt >= freshMilliseconds
    if (isOld || storeSecond === undefined) await refresh()
    const second = storeSecond ?? 0
    const { dateOf } = settlements
    return {
      second,
      dateOf(change) {
        const date = dateOf(change)
        return date !== undefined && date <= second ? date : undefined
      },
    }
  }
}

function createSettlements() {
  /** The first one is kept, so that all changes before it keep their date. */
  const settlements: Settlement[] = []
  const datesOfSeconds = new Map<number, number>()
  const datesOfTransactions = new Map<number, number>()

  /**
   * Returns the first whole second after the change was seen settled. Responses without the change have an
   * earlier date.
   */
  function dateAfter(
    change: number,
    dates: Map<number, number>,
    includesChange: (settlement: Settlement) => boolean,
  ): number | undefined {
    const existing = dates.get(change)
    if (existing !== undefined) return existing
    const settlement = settlements.find(includesChange)
    if (settlement === undefined) return undefined
    const date = Math.floor(settlement.seenAt) + 1
    if (settlement === settlements[0]) return date
    dates.set(change, date)
    const [oldest] = dates.keys()
    if (dates.size > datesRememberedMax && oldest !== undefined) dates.delete(oldest)
    return date
  }

  return {
    add({ transaction, second }: Mark, seenAt: number) {
      settlements.push({ transaction: withoutEpoch(transaction), until: second, seenAt })
      if (settlements.length > settlementsRememberedMax) settlements.splice(1, 1)
    },
    dateOf({ lastTransaction: number, lastChangeSecond: second }: LastChange): number | undefined {
      if (number !== undefined)
        return dateAfter(number, datesOfTransactions, ({ transaction }) => isOlder(number, transaction))
      if (typeof second !== 'number') return undefined
      return dateAfter(second, datesOfSeconds, ({ until }) => until >= second + 1)
    },
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

/** SQL: a number, because the text of a time depends on the time zone of the session. */
const serverStartedAt = raw('extract(epoch from pg_postmaster_start_time())::float8 as "serverStartedAt"')

/** Assigns a transaction number. Every transaction that wrote earlier has a lower number. */
async function setMark(database: Queries): Promise<Mark> {
  const [mark] = await database.query<Mark>(sql`
    select extract(epoch from statement_timestamp())::float8 as second, pg_current_xact_id()::text as transaction,
      ${serverStartedAt}`)
  if (!mark) throw new Error('The store returned no time.')
  return mark
}

interface CheckedMark extends Pick<Mark, 'second' | 'serverStartedAt'> {
  readonly hasPassed: boolean
}

/** Checks whether all earlier transactions have ended. The clock is read after the snapshot was taken. */
async function checkMark(database: Queries, { transaction }: Mark) {
  const [row] = await database.query<CheckedMark>(sql`
    select ${hasSettledBefore(transaction)} as "hasPassed",
      extract(epoch from clock_timestamp())::float8 as second,
      ${serverStartedAt}`)
  if (!row) throw new Error('The store returned no time.')
  return row
}
