import type { LimitedReads } from '../../db/limited-reads.ts'
import { formatEvent } from '../../http/event-stream.ts'
import type { Caller } from '../../model/caller.ts'
import type { Problem } from '../../model/problem.ts'
import type { Tracker } from '../../records/context.ts'
import type { Concerned } from './concern.ts'
import type { Keeper } from './kept-snapshots.ts'
import { isDue, type LiveStream, snapshotId } from './live-stream.ts'
import { newestPosition } from './read-feed.ts'

/** After a statement a listing pauses this many times as long as the statement took, so slow ones are read less often. */
const pausePerStatement = 4

/** What a live listing shows again after every change. */
export interface View extends Concerned {
  /** Made from the query and from what the caller may see: views with equal keys share a listing. */
  readonly key: string
  readonly caller: Caller
  /** Whether its snapshots have ids by which a client that comes back resumes. Those of the contract are numbered by stream. */
  readonly isResumable?: boolean
  /** The answer as JSON, as the plain request gives it. */
  read(reads: LimitedReads): Promise<string>
}

/** One view of one query: all its streams share a statement, a serialization and the bytes. */
export interface Listing {
  readonly view: View
  readonly streams: ListingStreams
  /** The newest snapshot as an event; the same bytes stay the same buffer. */
  newest(): Buffer
  idOf(snapshot: Buffer): string | undefined
  noteChange(): void
  takeSnapshot(): Promise<void>
  tick(now: number): void
  /** When nobody uses it any more. */
  close(): void
}

export function createListing(
  tracker: Tracker,
  view: View,
  keeper: Keeper,
  onFailure: (error: unknown) => void,
): Listing {
  const newest = createNewest(keeper)
  const streams = createListingStreams(newest.get)
  const ids = new WeakMap<Buffer, string>()
  let isChanged = false
  let isRefreshing = false
  let pausedUntil = 0
  let statementsSent = 0
  let newestStatement = 0

  async function takeSnapshot() {
    statementsSent += 1
    const statement = statementsSent
    const event = await readEvent(tracker, view, ids)
    // Answers may overtake each other; an older one never replaces a newer one.
    if (statement < newestStatement) return
    newestStatement = statement
    const refusal = newest.replaceBy(event)
    if (!refusal) return streams.fallBehind()
    streams.close(refusal.message)
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
      pausedUntil = Date.now() + pausePerStatement * (Date.now() - startedAt)
    }
    streams.offer(Date.now())
  }

  return {
    view,
    streams,
    takeSnapshot,
    newest: newest.get,
    idOf: (snapshot) => ids.get(snapshot),
    close: newest.forget,
    noteChange() {
      isChanged = true
    },
    tick(now) {
      if (isRefreshing) return
      // Read only when an event may be sent again: changes until then cost nothing more.
      if (isChanged && now >= pausedUntil && streams.isAnyDue(now)) void refresh()
      else if (!isChanged) streams.offer(now)
    },
  }
}

function createNewest(keeper: Keeper) {
  let newest: Buffer = Buffer.alloc(0)
  let isForgotten = false
  return {
    get: () => newest,
    /** Returns the reason when there is no room. */
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

/** The position is taken before the rows are read: a reader who goes on from it in the feed may see a change twice, never none. */
async function readEvent({ database }: Tracker, view: View, ids: WeakMap<Buffer, string>): Promise<Buffer> {
  const position = view.isResumable ? await newestPosition(database.liveLists, view.caller) : undefined
  const data = await view.read(database.liveListsAnywhere)
  const event = formatEvent({ event: 'listing', data })
  if (position) ids.set(event, snapshotId(position, data))
  return event
}

/** The streams of one listing, and which of them lack the newest snapshot: a tick costs nothing for those that have it. */
interface ListingStreams {
  readonly all: ReadonlySet<LiveStream>
  join(stream: LiveStream): void
  leave(stream: LiveStream): void
  /** A newer snapshot exists: from now on every stream lacks it. */
  fallBehind(): void
  /** Offers the newest to the streams that lack it. */
  offer(now: number): void
  attend(now: number): void
  /** Whether any stream may be sent its next event now. */
  isAnyDue(now: number): boolean
  close(reason: string): void
}

/** In one turn of the loop: three milliseconds, in which nobody else is answered. */
const sentAtOnceMax = 200

export function createListingStreams(newest: () => Buffer): ListingStreams {
  const all = new Set<LiveStream>()
  const behind = new Set<LiveStream>()
  let isGoingOn = false
  const goOn = () => {
    isGoingOn = false
    offer(Date.now())
  }
  const offer = (now: number) => {
    // Asked twenty times a second of every listing: even an iterator over nothing would be most of what they cost at rest.
    if (behind.size === 0 || isGoingOn) return
    let sent = 0
    for (const stream of behind) {
      stream.offer(newest(), now)
      if (!stream.has(newest())) continue
      behind.delete(stream)
      sent += 1
      if (sent < sentAtOnceMax) continue
      isGoingOn = true
      setImmediate(goOn)
      return
    }
  }
  return {
    all,
    join(stream) {
      all.add(stream)
      behind.add(stream)
      offer(Date.now())
    },
    leave(stream) {
      all.delete(stream)
      behind.delete(stream)
    },
    fallBehind() {
      for (const stream of all) behind.add(stream)
    },
    offer,
    attend(now) {
      for (const stream of all) stream.attend(now)
    },
    isAnyDue(now) {
      for (const stream of all) if (isDue(stream, now)) return true
      return false
    },
    close(reason) {
      for (const stream of all) stream.close(reason)
    },
  }
}
