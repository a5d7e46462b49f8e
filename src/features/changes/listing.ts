import type { LimitedReads } from '../../db/limited-reads.ts'
import { formatEvent } from '../../http/event-stream.ts'
import type { Caller } from '../../model/caller.ts'
import type { Problem } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import type { ScopedListing } from './listing-scope.ts'
import { isDue, type LiveStream, snapshotId } from './live-stream.ts'
import { newestPosition } from './read-feed.ts'
import type { SnapshotReservation } from './streams.ts'

/** A listing pauses for this multiple of the duration of its last statement: slow listings are read less often. */
const pauseFactor = 4

/** The content of a live listing. It is sent again after every change. */
export interface ListingView extends ScopedListing {
  /** Derived from the query and the rows visible to the caller: views with equal keys share a listing. */
  readonly key: string
  readonly caller: Caller
  /**
   * True if its snapshots have ids by which a client can resume. Snapshots of v1 listings are
   * numbered per stream.
   */
  readonly isResumable?: boolean
  /** Returns the response as JSON, the same as for a plain request. */
  read(reads: LimitedReads): Promise<string>
}

/** One view of one query. All its streams share a statement and the bytes of its result. */
export interface Listing {
  readonly view: ListingView
  readonly streams: ListingStreams
  /** Returns the newest snapshot as an event. The buffer stays the same as long as its bytes are equal. */
  newest(): Buffer
  idOf(snapshot: Buffer): string | undefined
  recordChange(): void
  takeSnapshot(): Promise<void>
  tick(now: number): void
  /** Called when no stream uses it any more. */
  close(): void
}

export function createListing(
  context: Context,
  view: ListingView,
  reservation: SnapshotReservation,
  onFailure: (error: unknown) => void,
): Listing {
  const newest = createNewestSnapshot(reservation)
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
    const event = await readEvent(context, view, ids)
    // Results may arrive out of order. An older result never replaces a newer result.
    if (statement < newestStatement) return
    newestStatement = statement
    const problem = newest.replace(event)
    if (!problem) return streams.markAllBehind()
    streams.close(problem.message)
    throw problem
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
      pausedUntil = Date.now() + pauseFactor * (Date.now() - startedAt)
    }
    streams.offer(Date.now())
  }

  return {
    view,
    streams,
    takeSnapshot,
    newest: newest.get,
    idOf: (snapshot) => ids.get(snapshot),
    close: newest.discard,
    recordChange() {
      isChanged = true
    },
    tick(now) {
      if (isRefreshing) return
      // Read only when an event may be sent again: further changes until then cost nothing.
      if (isChanged && now >= pausedUntil && streams.isAnyDue(now)) void refresh()
      else if (!isChanged) streams.offer(now)
    },
  }
}

function createNewestSnapshot(reservation: SnapshotReservation) {
  let newest: Buffer = Buffer.alloc(0)
  let isDiscarded = false
  return {
    get: () => newest,
    /** Returns the problem if the snapshot exceeds a memory limit. */
    replace(event: Buffer): Problem | undefined {
      if (isDiscarded || event.equals(newest)) return undefined
      const problem = reservation.reserve([event])
      if (!problem) newest = event
      return problem
    },
    discard() {
      isDiscarded = true
      reservation.reserve([])
    },
  }
}

/**
 * The position is read before the rows. A client that resumes the feed from it may see a change twice, but
 * misses none.
 */
async function readEvent(
  { database }: Context,
  view: ListingView,
  ids: WeakMap<Buffer, string>,
): Promise<Buffer> {
  const position = view.isResumable ? await newestPosition(database.liveListReads, view.caller) : undefined
  const data = await view.read(database.standbyLiveListReads)
  const event = formatEvent({ event: 'listing', data })
  if (position) ids.set(event, snapshotId(position, data))
  return event
}

/**
 * The streams of one listing. The streams that lack the newest snapshot are also kept separately, so that a
 * tick costs nothing for all others.
 */
interface ListingStreams {
  readonly all: ReadonlySet<LiveStream>
  join(stream: LiveStream): void
  leave(stream: LiveStream): void
  /** Called when a newer snapshot exists. No stream has it yet. */
  markAllBehind(): void
  /** Offers the newest snapshot to the streams that lack it. */
  offer(now: number): void
  maintain(now: number): void
  /** Returns whether any stream may be sent its next event now. */
  isAnyDue(now: number): boolean
  close(reason: string): void
}

/** Sending to this many streams takes three milliseconds, in which the process handles nothing else. */
const sentAtOnceMax = 200

export function createListingStreams(newest: () => Buffer): ListingStreams {
  const all = new Set<LiveStream>()
  const behind = new Set<LiveStream>()
  let isContinuing = false
  const continueOffering = () => {
    isContinuing = false
    offer(Date.now())
  }
  const offer = (now: number) => {
    // This runs twenty times a second for every listing: even an iterator over an empty set would be most of
    // the cost of an idle listing.
    if (behind.size === 0 || isContinuing) return
    let sent = 0
    for (const stream of behind) {
      stream.offer(newest(), now)
      if (!stream.has(newest())) continue
      behind.delete(stream)
      sent += 1
      if (sent < sentAtOnceMax) continue
      isContinuing = true
      setImmediate(continueOffering)
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
    markAllBehind() {
      for (const stream of all) behind.add(stream)
    },
    offer,
    maintain(now) {
      for (const stream of all) stream.maintain(now)
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
