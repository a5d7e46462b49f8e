import { isConflict, isLostConnection, isOfRow } from './failures.ts'
import { createGathering, type Gathering } from './gathering.ts'
import type { Queries } from './queries.ts'
import type { Sql } from './sql.ts'
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
      const mayPass = isLostConnection(error) && performance.now() < waiting.endsAt
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
