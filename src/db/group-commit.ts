import { isConflict, isLostConnection, isOfRow } from './failures.ts'
import { Silent } from './in-time.ts'
import type { Queries, Sql } from './sql.ts'
import type { Call, Waiting } from './statement-times.ts'

/** Writes that one statement can do for several callers at once. */
export interface KindOfWrite<Item, Result> {
  /** Those of one name may be written together. */
  readonly name: string
  /** Accounts take turns. */
  readonly accountOf: (item: Item) => string
  /** One statement writes a row once. */
  readonly idOf: (item: Item) => string
  /** As if nobody else wrote anything. */
  readonly alone: (item: Item) => Promise<Result>
  /** Waits for no lock. Of what it could not write, for whatever reason, nothing is answered. */
  readonly together: (queries: Queries, items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
}

/** Writes alone or together with what comes at the same time: the answer, a refusal too, is the same. */
export type GatheredWrites = <Item, Result>(kind: KindOfWrite<Item, Result>, item: Item) => Promise<Result>

export interface GatherOptions {
  readonly call: Call
  /** What is under way has written something that stays. */
  readonly noteOwn: () => void
  readonly isPossible: () => boolean
  /** Sends a statement that is a transaction, once. */
  readonly send: <Row>(statement: Sql, waiting: Waiting) => Promise<Row[]>
}

interface Entry {
  readonly item: unknown
  /** When its own time ends. */
  readonly endsAt: number
  readonly endWait: () => void
  /** Tells those who measure. */
  readonly tell: (statement: Sql) => void
}

/**
 * A statement costs the store four times as much as a row more in it. So while a write of a kind is under way, those that come
 * are gathered, and written in one statement when it is done. That is for the good case alone: it passes over
 * rows that somebody has locked and whatever a condition refuses, and a row that fails undoes it whole; all these are then written
 * alone, which waits, refuses and fails as ever, and holds nobody else up.
 */
export function gatherWrites({ call, noteOwn, isPossible, send }: GatherOptions): GatheredWrites {
  const gatherings = new Map<string, Gathering<Entry, unknown>>()

  function gatheringOf<Item, Result>(kind: KindOfWrite<Item, Result>): Gathering<Entry, unknown> {
    const known = gatherings.get(kind.name)
    if (known) return known
    const made = createGathering<Entry, unknown>({
      write: (entries) => writeTogether(kind, entries),
      accountOf: ({ item }) => kind.accountOf(item as Item),
      idOf: ({ item }) => kind.idOf(item as Item),
      onIdle: () => void gatherings.delete(kind.name),
    })
    gatherings.set(kind.name, made)
    return made
  }

  async function writeTogether<Item, Result>(
    kind: KindOfWrite<Item, Result>,
    entries: readonly Entry[],
  ): Promise<readonly (Result | undefined)[]> {
    const beganAt = performance.now()
    const waiting: Waiting = {
      begin: () => () => {
        for (const { endWait } of entries) endWait()
      },
      endsAt: Math.min(...entries.map(({ endsAt }) => endsAt)),
      renew: () => undefined,
    }
    const query = <Row>(statement: Sql) => {
      for (const { tell } of entries) tell(statement)
      return send<Row>(statement, waiting)
    }
    try {
      return await kind.together(
        { query },
        entries.map(({ item }) => item as Item),
      )
    } catch (error) {
      // Nothing was written. After anything else that may not be known, or it would be the same for each of them.
      const isEarly = performance.now() < beganAt + lostMillisecondsMax
      const mayPass = isLostConnection(error) && !(error instanceof Silent) && isEarly
      if (isOfRow(error) || isConflict(error) || mayPass) return []
      throw error
    }
  }

  return async <Item, Result>(kind: KindOfWrite<Item, Result>, item: Item): Promise<Result> => {
    if (!isPossible()) return kind.alone(item)
    const gathering = gatheringOf(kind)
    const turn = gathering.enter()
    if (turn) return kind.alone(item).finally(turn)
    const asked: { kind: 'write'; statement?: Sql } = { kind: 'write' }
    const gathered = await call(asked, (waiting) => {
      const endWait = once(waiting.begin())
      const tell = (statement: Sql) => {
        asked.statement = statement
      }
      // One that gets a turn of its own has only waited.
      return gathering.wait({ item, endsAt: waiting.endsAt, endWait, tell }).finally(endWait)
    })
    if (gathered.turn) return kind.alone(item).finally(gathered.turn)
    if (gathered.written === undefined) return kind.alone(item)
    noteOwn()
    return gathered.written as Result
  }
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}

/** Writes of one kind that wait while another of their kind is under way, and are then written together. */
interface Gathering<Item, Result> {
  /** The turn of whoever finds nobody under way; undefined for others. */
  enter(): Turn | undefined
  /** Waits for others. */
  wait(item: Item): Promise<Gathered<Result>>
}

/** To write by oneself, until it is told that this is over. */
export type Turn = () => void

export interface Gathered<Result> {
  /** Undefined where it was not written with others. */
  readonly written?: Result | undefined
  /** Of one that nobody else waited with. */
  readonly turn?: Turn
}

export interface GatheringOptions<Item, Result> {
  readonly write: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
  /** Whose it is: accounts take turns. */
  readonly accountOf: (item: Item) => string
  /** Of equal ones the second waits for the first. */
  readonly idOf: (item: Item) => string
  /** When there is nobody left. */
  readonly onIdle: () => void
}

/** A write whose connection was lost later is not written alone: that takes eight seconds, and its caller is answered within ten. */
const lostMillisecondsMax = 1500

/** More would make one of them wait for the others' rows, and gains little. */
const togetherMax = 32
/** One that takes longer, because it waits for a lock or for a slow store, is not waited for. */
const waitMillisecondsMax = 20

interface Waiter<Item, Result> {
  readonly item: Item
  readonly resolve: (gathered: Gathered<Result>) => void
  readonly reject: (error: unknown) => void
}

export function createGathering<Item, Result>({
  write,
  accountOf,
  idOf,
  onIdle,
}: GatheringOptions<Item, Result>): Gathering<Item, Result> {
  /** By account; the one whose turn it is comes first. */
  const waiting = new Map<string, Waiter<Item, Result>[]>()
  const underWay = new Set<object>()
  let timer: NodeJS.Timeout | undefined

  function enter(): Turn {
    const one = {}
    underWay.add(one)
    return () => {
      if (!underWay.delete(one)) return
      if (waiting.size > 0) writeNext()
      else if (underWay.size === 0) onIdle()
    }
  }

  function goOn() {
    underWay.clear()
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
    enter: () => (underWay.size === 0 ? enter() : undefined),
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

/** Takes out the next ones, round by round. */
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
      // It comes last the next time.
      waiting.delete(account)
      if (own.length > 1) waiting.set(account, own.slice(1))
    }
  } while (taken.length > before)
  return taken
}
