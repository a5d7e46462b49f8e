import { changesThatMatter, viewOf } from '../../access/visible-rows.ts'
import { formatEvent } from '../../http/event-stream.ts'
import type { Caller } from '../../model/caller.ts'
import type { Problem } from '../../model/problem.ts'
import { list } from '../../operations/list.ts'
import type { ListQuery } from '../../operations/read-list-query.ts'
import type { Tracker } from '../../operations/tracker.ts'
import type { Listed } from '../../resources/define-resource.ts'
import type { Keeper } from './kept-snapshots.ts'
import { isDue, type LiveStream } from './live-stream.ts'
import { showPage } from './show-page.ts'

/** A listing rests this many times as long as its last statement took: one that is slow is told later, not more often. */
const restsPerStatement = 4

export interface View {
  readonly listed: Listed
  readonly caller: Caller
  readonly query: ListQuery
}

/** One view of one query: all its streams share a statement, a serialization and the bytes. */
export interface Listing {
  readonly streams: Set<LiveStream>
  /** The newest snapshot as an event; the same bytes stay the same buffer. */
  newest(): Buffer
  noteChanges(resources: ReadonlySet<string>): void
  takeSnapshot(): Promise<void>
  tick(now: number): void
  /** When nobody uses it any more. */
  close(): void
}

/** Callers who see the same rows share a listing of the same query. */
export const listingKey = ({ listed, caller, query }: View): string =>
  JSON.stringify([listed.name, viewOf(listed, caller), query])

export function createListing(
  tracker: Tracker,
  view: View,
  keeper: Keeper,
  onFailure: (error: unknown) => void,
): Listing {
  const streams = new Set<LiveStream>()
  const relevant = changesThatMatter(view.listed, view.caller, view.query.state)
  const newest = createNewest(keeper)
  let isChanged = false
  let isRefreshing = false
  let restsUntil = 0
  let statementsSent = 0
  let newestStatement = 0

  const offerToAll = (now: number) => {
    for (const stream of streams) stream.offer(newest.get(), now)
  }

  async function takeSnapshot() {
    statementsSent += 1
    const statement = statementsSent
    const event = await readEvent(tracker, view)
    // Answers may overtake each other; an older one never replaces a newer one.
    if (statement < newestStatement) return
    newestStatement = statement
    const refusal = newest.replaceBy(event)
    if (!refusal) return
    for (const stream of streams) stream.close(refusal.message)
    throw refusal
  }

  async function refresh() {
    isRefreshing = true
    isChanged = false
    const startedAt = Date.now()
    try {
      await takeSnapshot()
    } catch (error) {
      isChanged = true
      onFailure(error)
    } finally {
      isRefreshing = false
      restsUntil = Date.now() + restsPerStatement * (Date.now() - startedAt)
    }
    offerToAll(Date.now())
  }

  return {
    streams,
    takeSnapshot,
    newest: newest.get,
    close: newest.forget,
    noteChanges(resources) {
      if (relevant.some((name) => resources.has(name))) isChanged = true
    },
    tick(now) {
      for (const stream of streams) stream.attend(now)
      if (isRefreshing) return
      // Asked only when somebody may be told: what changes again until then costs nothing.
      if (isChanged && now >= restsUntil && [...streams].some((stream) => isDue(stream, now))) void refresh()
      else if (!isChanged) offerToAll(now)
    },
  }
}

function createNewest(keeper: Keeper) {
  let newest: Buffer = Buffer.alloc(0)
  let isForgotten = false
  return {
    get: () => newest,
    /** The answer is why not. */
    replaceBy(event: Buffer): Problem | undefined {
      if (isForgotten || event.equals(newest)) return undefined
      const refusal = keeper.keep([event])
      if (!refusal) newest = event
      return refusal
    },
    forget() {
      isForgotten = true
      keeper.keep([])
    },
  }
}

async function readEvent(tracker: Tracker, { listed, caller, query }: View): Promise<Buffer> {
  const page = await list(tracker, listed, caller, query, tracker.database.liveLists)
  return formatEvent({ event: 'listing', data: JSON.stringify(showPage(listed, page)) })
}
