import { isConflict, isLostConnection, isOfRow } from './failures.ts'
import { SilentStoreError } from './in-time.ts'
import type { Queries, Sql } from './sql.ts'
import type { Call, Waiting } from './work.ts'

/** A kind of write that one statement can do for several callers at once. */
export interface KindOfWrite<Item, Result> {
  /** Writes with the same name may be batched together. */
  readonly name: string
  /** Accounts take turns. */
  readonly accountOf: (item: Item) => string
  /** A statement writes each row at most once. */
  readonly idOf: (item: Item) => string
  /** Writes as if there were no other writers. */
  readonly alone: (item: Item) => Promise<Result>
  /** Waits for no lock. The result is undefined for each item that it could not write. */
  readonly together: (queries: Queries, items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
}

/** Writes alone or together with concurrent writes: the result, including an error, is the same. */
export type GroupedWrites = <Item, Result>(kind: KindOfWrite<Item, Result>, item: Item) => Promise<Result>

export interface GroupOptions {
  readonly call: Call
  /** Records that the current request has committed something. */
  readonly committed: () => void
  readonly isPossible: () => boolean
  /** Sends a statement that is a transaction, once. */
  readonly send: <Row>(statement: Sql, waiting: Waiting) => Promise<Row[]>
}

interface Entry {
  readonly item: unknown
  /** The call that waits since it began. */
  readonly waiting: Waiting
  readonly beganAt: number
  /** Reports the statement to the measurements. */
  readonly report: (statement: Sql) => void
}

/**
 * A statement costs the database four times as much as another row in it. So while a write of a kind is in
 * progress, others that arrive are batched, and written in one statement when it is done. The batch handles
 * the good case only: it skips rows that are locked and rows that a condition rejects, and a row that fails
 * rolls all of it back. Such writes then run alone, where they wait, are rejected or fail as usual, without
 * holding up the others.
 */
export function groupWrites({ call, committed, isPossible, send }: GroupOptions): GroupedWrites {
  const groupCommits = new Map<string, GroupCommit<Entry, unknown>>()

  function groupCommitOf<Item, Result>(kind: KindOfWrite<Item, Result>): GroupCommit<Entry, unknown> {
    const known = groupCommits.get(kind.name)
    if (known) return known
    const made = createGroupCommit<Entry, unknown>({
      write: (entries) => writeTogether(kind, entries),
      accountOf: ({ item }) => kind.accountOf(item as Item),
      idOf: ({ item }) => kind.idOf(item as Item),
      onIdle: () => void groupCommits.delete(kind.name),
    })
    groupCommits.set(kind.name, made)
    return made
  }

  async function writeTogether<Item, Result>(
    kind: KindOfWrite<Item, Result>,
    entries: readonly Entry[],
  ): Promise<readonly (Result | undefined)[]> {
    const beganAt = performance.now()
    const waiting: Waiting = {
      waitSeconds: 0,
      endsAt: Math.min(...entries.map(({ waiting }) => waiting.endsAt)),
      renew: () => undefined,
    }
    const query = <Row>(statement: Sql) => {
      for (const { report } of entries) report(statement)
      return send<Row>(statement, waiting)
    }
    try {
      return await kind.together(
        { query },
        entries.map(({ item }) => item as Item),
      )
    } catch (error) {
      // In these cases nothing was written. After any other error that is uncertain, or each write would fail
      // in the same way.
      const isEarly = performance.now() < beganAt + lostMillisecondsMax
      const mayPass = isLostConnection(error) && !(error instanceof SilentStoreError) && isEarly
      if (isOfRow(error) || isConflict(error) || mayPass) return []
      throw error
    } finally {
      for (const entry of entries)
        entry.waiting.waitSeconds = (beganAt - entry.beganAt) / 1000 + waiting.waitSeconds
    }
  }

  return async <Item, Result>(kind: KindOfWrite<Item, Result>, item: Item): Promise<Result> => {
    if (!isPossible()) return kind.alone(item)
    const groupCommit = groupCommitOf(kind)
    const turn = groupCommit.enter()
    if (turn) return kind.alone(item).finally(turn)
    const asked: { kind: 'write'; statement?: Sql } = { kind: 'write' }
    const grouped = await call(asked, async (waiting) => {
      const beganAt = performance.now()
      const report = (statement: Sql) => {
        asked.statement = statement
      }
      const grouped = await groupCommit.wait({ item, waiting, beganAt, report })
      // A write that gets its own turn has only waited.
      if (grouped.turn) waiting.waitSeconds = (performance.now() - beganAt) / 1000
      return grouped
    })
    if (grouped.turn) return kind.alone(item).finally(grouped.turn)
    if (grouped.written === undefined) return kind.alone(item)
    committed()
    return grouped.written as Result
  }
}

/** Writes of one kind that wait while another one is in progress, and are then written together. */
interface GroupCommit<Item, Result> {
  /** Returns a turn when no write of the kind is in progress. */
  enter(): Turn | undefined
  /** Waits to be written with others. */
  wait(item: Item): Promise<GroupedWrite<Result>>
}

/** The right to write alone; calling it ends the turn. */
export type Turn = () => void

export interface GroupedWrite<Result> {
  /** Undefined where it was not written with others. */
  readonly written?: Result | undefined
  /** Present when no other write was waiting: the caller writes alone. */
  readonly turn?: Turn
}

export interface GroupCommitOptions<Item, Result> {
  readonly write: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
  /** Accounts take turns. */
  readonly accountOf: (item: Item) => string
  /** If two items have the same id, the second waits for the first. */
  readonly idOf: (item: Item) => string
  /** Called when no write is left. */
  readonly onIdle: () => void
}

/**
 * A write whose connection was lost later than this is not retried alone: that takes up to eight seconds, and
 * callers are promised an answer within ten.
 */
const lostMillisecondsMax = 1500

/** A larger batch would make a write wait for the rows of the others, and gains little. */
const togetherMax = 32
/** A write that takes longer, because of a lock or a slow store, does not hold up the next batch. */
const waitMillisecondsMax = 20

interface Waiter<Item, Result> {
  readonly item: Item
  readonly resolve: (grouped: GroupedWrite<Result>) => void
  readonly reject: (error: unknown) => void
}

export function createGroupCommit<Item, Result>({
  write,
  accountOf,
  idOf,
  onIdle,
}: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  /** Keyed by account; the one whose turn it is comes first. */
  const waiting = new Map<string, Waiter<Item, Result>[]>()
  const inFlight = new Set<object>()
  let timer: NodeJS.Timeout | undefined

  function enter(): Turn {
    const one = {}
    inFlight.add(one)
    return () => {
      if (!inFlight.delete(one)) return
      if (waiting.size > 0) writeNext()
      else if (inFlight.size === 0) onIdle()
    }
  }

  function goOn() {
    inFlight.clear()
    writeNext()
  }

  function writeNext() {
    clearTimeout(timer)
    const waiters = takeTurns(waiting, idOf)
    timer = waiting.size > 0 ? setTimeout(goOn, waitMillisecondsMax) : undefined
    const leave = enter()
    const [first] = waiters
    if (first && waiters.length === 1) return first.resolve({ turn: leave })
    write(waiters.map(({ item }) => item))
      .then(
        (results) => {
          for (const [index, { resolve }] of waiters.entries()) resolve({ written: results[index] })
        },
        (error: unknown) => {
          for (const { reject } of waiters) reject(error)
        },
      )
      .finally(leave)
  }

  return {
    enter: () => (inFlight.size === 0 ? enter() : undefined),
    wait: (item) =>
      new Promise((resolve, reject) => {
        const account = accountOf(item)
        const own = waiting.get(account) ?? []
        own.push({ item, resolve, reject })
        waiting.set(account, own)
        timer ??= setTimeout(goOn, waitMillisecondsMax)
      }),
  }
}

/** Removes and returns the next items, round by round. */
function takeTurns<Item, Result>(
  waiting: Map<string, Waiter<Item, Result>[]>,
  idOf: (item: Item) => string,
): Waiter<Item, Result>[] {
  const taken: Waiter<Item, Result>[] = []
  const ids = new Set<string>()
  let before: number
  do {
    before = taken.length
    for (const [account, own] of [...waiting]) {
      const [next] = own
      if (taken.length === togetherMax || !next || ids.has(idOf(next.item))) continue
      ids.add(idOf(next.item))
      taken.push(next)
      // The account comes last in the next round.
      waiting.delete(account)
      if (own.length > 1) waiting.set(account, own.slice(1))
    }
  } while (taken.length > before)
  return taken
}
