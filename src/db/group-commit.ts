import { isConflict, isLostConnection, isRowError, SilentStoreError } from './failures.ts'
import type { Queries, Sql } from './sql.ts'
import type { Call, CallState } from './work.ts'

/** A kind of write that one statement can execute for several callers. */
export interface WriteKind<Item, Result> {
  /** Writes with the same name may be batched. */
  readonly name: string
  /** Returns the account that writes the item. Accounts take turns. */
  readonly accountOf: (item: Item) => string
  /** Returns the id of the row. A statement writes each row at most once. */
  readonly idOf: (item: Item) => string
  readonly writeAlone: (item: Item) => Promise<Result>
  /** Writes several items in one statement. The result of a locked or rejected item is undefined. */
  readonly writeTogether: (
    queries: Queries,
    items: readonly Item[],
  ) => Promise<readonly (Result | undefined)[]>
}

/** Writes an item alone or in a batch. The result is the same, even if it is an error. */
export type WriteGrouped = <Item, Result>(kind: WriteKind<Item, Result>, item: Item) => Promise<Result>

export interface GroupOptions {
  readonly call: Call
  /** Records that the current request has committed a write. */
  readonly recordCommit: () => void
  readonly canGroup: () => boolean
  /** Sends a statement as a transaction, once. */
  readonly send: <Row>(statement: Sql, state: CallState) => Promise<Row[]>
}

interface Entry {
  readonly item: unknown
  /** The state of the call that waits for the result. */
  readonly state: CallState
  readonly beganAt: number
  /** Reports the statement to the measurements. */
  readonly report: (statement: Sql) => void
}

/**
 * While a write of a kind is in progress, later writes of this kind are batched and then written in one
 * statement. A statement costs the database four times as much as another row in a statement. A batch skips
 * locked and rejected rows, and an error rolls back all of it. The writes that it did not execute then run
 * alone.
 */
export function groupWrites({ call, recordCommit, canGroup, send }: GroupOptions): WriteGrouped {
  const groupCommits = new Map<string, GroupCommit<Entry, unknown>>()

  function groupCommitOf<Item, Result>(kind: WriteKind<Item, Result>): GroupCommit<Entry, unknown> {
    const existing = groupCommits.get(kind.name)
    if (existing) return existing
    const created = createGroupCommit<Entry, unknown>({
      write: (entries) => writeTogether(kind, entries),
      accountOf: ({ item }) => kind.accountOf(item as Item),
      idOf: ({ item }) => kind.idOf(item as Item),
      onIdle: () => void groupCommits.delete(kind.name),
    })
    groupCommits.set(kind.name, created)
    return created
  }

  async function writeTogether<Item, Result>(
    kind: WriteKind<Item, Result>,
    entries: readonly Entry[],
  ): Promise<readonly (Result | undefined)[]> {
    const beganAt = performance.now()
    const state: CallState = {
      waitSeconds: 0,
      endsAt: Math.min(...entries.map(({ state }) => state.endsAt)),
      renew: () => undefined,
    }
    const query = <Row>(statement: Sql) => {
      for (const { report } of entries) report(statement)
      return send<Row>(statement, state)
    }
    try {
      return await kind.writeTogether(
        { query },
        entries.map(({ item }) => item as Item),
      )
    } catch (error) {
      // After these errors, nothing was written, and each write runs alone. Other errors are final.
      const isEarly = performance.now() < beganAt + lostMillisecondsMax
      const wasLostEarly = isLostConnection(error) && !(error instanceof SilentStoreError) && isEarly
      if (isRowError(error) || isConflict(error) || wasLostEarly) return []
      throw error
    } finally {
      for (const entry of entries)
        entry.state.waitSeconds = (beganAt - entry.beganAt) / 1000 + state.waitSeconds
    }
  }

  return async <Item, Result>(kind: WriteKind<Item, Result>, item: Item): Promise<Result> => {
    if (!canGroup()) return kind.writeAlone(item)
    const groupCommit = groupCommitOf(kind)
    const turn = groupCommit.enter()
    if (turn) return kind.writeAlone(item).finally(turn)
    const options: { kind: 'write'; statement?: Sql } = { kind: 'write' }
    const result = await call(options, async (state) => {
      const beganAt = performance.now()
      const report = (statement: Sql) => {
        options.statement = statement
      }
      const grouped = await groupCommit.wait({ item, state, beganAt, report })
      // The call has only waited so far, and `writeAlone` measures its own statement.
      if (grouped.turn) state.waitSeconds = (performance.now() - beganAt) / 1000
      return grouped
    })
    if (result.turn) return kind.writeAlone(item).finally(result.turn)
    if (result.written === undefined) return kind.writeAlone(item)
    recordCommit()
    return result.written as Result
  }
}

/** Batches the writes of one kind while another write is in progress. */
interface GroupCommit<Item, Result> {
  /** Returns a turn if no write of the kind is in progress. */
  enter(): Turn | undefined
  /** Waits to be written in a batch. */
  wait(item: Item): Promise<GroupedResult<Result>>
}

/** The right to write alone. Calling the function ends the turn. */
export type Turn = () => void

export interface GroupedResult<Result> {
  /** Undefined if the item was not written in the batch. */
  readonly written?: Result | undefined
  /** Set if no other write was waiting. The caller then writes alone. */
  readonly turn?: Turn
}

export interface GroupCommitOptions<Item, Result> {
  readonly write: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
  /** Returns the account that writes the item. Accounts take turns. */
  readonly accountOf: (item: Item) => string
  /** If two items have the same id, the second waits for the first. */
  readonly idOf: (item: Item) => string
  /** Called when no write is in progress or waiting. */
  readonly onIdle: () => void
}

/**
 * If the connection is lost later, the write is not retried. A retry takes up to eight seconds, and callers
 * are promised an answer within ten.
 */
const lostMillisecondsMax = 1500

/** A larger batch saves little and makes its writes wait longer. */
const batchMax = 32
/**
 * The next batch does not wait longer for a write in progress, because that write may be waiting for a lock.
 */
const waitMillisecondsMax = 20

interface Waiter<Item, Result> {
  readonly item: Item
  readonly resolve: (result: GroupedResult<Result>) => void
  readonly reject: (error: unknown) => void
}

export function createGroupCommit<Item, Result>({
  write,
  accountOf,
  idOf,
  onIdle,
}: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  /** The waiting writes of each account. The first account is served next. */
  const waiting = new Map<string, Waiter<Item, Result>[]>()
  const inFlight = new Set<object>()
  let timer: NodeJS.Timeout | undefined

  function enter(): Turn {
    const write = {}
    inFlight.add(write)
    return () => {
      if (!inFlight.delete(write)) return
      if (waiting.size > 0) writeNext()
      else if (inFlight.size === 0) onIdle()
    }
  }

  function writeWithoutWaiting() {
    inFlight.clear()
    writeNext()
  }

  function writeNext() {
    clearTimeout(timer)
    const waiters = takeBatch(waiting, idOf)
    timer = waiting.size > 0 ? setTimeout(writeWithoutWaiting, waitMillisecondsMax) : undefined
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
        const waiters = waiting.get(account) ?? []
        waiters.push({ item, resolve, reject })
        waiting.set(account, waiters)
        timer ??= setTimeout(writeWithoutWaiting, waitMillisecondsMax)
      }),
  }
}

/** Removes and returns the next batch. Each round takes one item of each account. */
function takeBatch<Item, Result>(
  waiting: Map<string, Waiter<Item, Result>[]>,
  idOf: (item: Item) => string,
): Waiter<Item, Result>[] {
  const batch: Waiter<Item, Result>[] = []
  const ids = new Set<string>()
  let sizeBefore: number
  do {
    sizeBefore = batch.length
    for (const [account, waiters] of [...waiting]) {
      const [next] = waiters
      if (batch.length === batchMax || !next || ids.has(idOf(next.item))) continue
      ids.add(idOf(next.item))
      batch.push(next)
      // The account comes last in the next round.
      waiting.delete(account)
      if (waiters.length > 1) waiting.set(account, waiters.slice(1))
    }
  } while (batch.length > sizeBefore)
  return batch
}
