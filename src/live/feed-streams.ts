import type { Authenticated } from '../authentication/authenticate.ts'
import { unauthenticated } from '../model/problem.ts'
import type { Position } from '../operations/feed/position.ts'
import { type FeedFilter, newestPosition, readFeed } from '../operations/feed/read-feed.ts'
import type { Tracker } from '../operations/tracker.ts'
import { type Repetition, repeat } from '../schedule/repeat.ts'
import { watchChanges } from '../store/change-watch.ts'
import { type FeedStream, type FeedWire, openFeedStream } from './feed-stream.ts'
import { createKeptSnapshots } from './kept-snapshots.ts'
import type { StreamLimits } from './stream-limits.ts'

export interface FeedStreams {
  /** Begins the answer once the first page is read, so that every refusal comes before it. */
  open(wanted: WantedFeed, session: Authenticated, wire: FeedWire): Promise<void>
  /** Ends every stream, because the host stops. */
  sendAway(): void
  /** How far behind the change log it may be. */
  secondsBehind(): number
}

export interface WantedFeed {
  readonly filter: FeedFilter
  readonly after: Position | 'now' | undefined
}

/** What one statement reads for a stream, and what a stream keeps until its client has read it. */
const pageSize = 100
/** How often each stream is looked after. */
const attendMilliseconds = 1000

/** Streams of the change feed. They count as live listings of their account, in number and in bytes. */
export function createFeedStreams(
  tracker: Tracker,
  streamLimits: StreamLimits,
  onFailure: (error: unknown) => void,
): FeedStreams {
  const kept = createKeptSnapshots(tracker.budgets)
  const streams = new Set<FeedStream>()
  const wakeAll = () => {
    for (const stream of streams) stream.wake()
  }
  const watch = watchChanges({ database: tracker.database, onFailure, onChanges: wakeAll })
  let attending: Repetition | undefined
  /** Streams, and the requests that are about to become one. */
  let users = 0

  function leave(account: string) {
    streamLimits.giveBack(account)
    users -= 1
    if (users > 0) return
    watch.stop()
    void attending?.stop()
    attending = undefined
  }

  return {
    secondsBehind: watch.secondsBehind,
    async open({ filter, after }, session, wire) {
      const { caller } = session
      const { id } = caller
      streamLimits.take(id)
      users += 1
      const reads = tracker.database.liveLists
      const read = (position: Position | undefined) => readFeed({ caller, filter, position, pageSize }, reads)
      try {
        // Before the first statement, so that nothing is committed unnoticed between it and the watching.
        await watch.start()
        const first = await read(after === 'now' ? await newestPosition(reads, caller) : after)
        // Waiting for the first page may have outlasted the token.
        if (!(await session.recheck())) throw unauthenticated()
        attending ??= repeat({ everyMilliseconds: attendMilliseconds, onFailure }, () => {
          for (const stream of streams) stream.attend(Date.now())
        })
        const stream = openFeedStream(session, wire, {
          first,
          keeper: kept.keeperOf(id),
          read,
          onFailure,
          onClose() {
            streams.delete(stream)
            leave(id)
          },
        })
        streams.add(stream)
        // Says where it begins: a reader who is cut off before the first change shall not begin again at a later now.
        stream.attend(Date.now())
      } catch (error) {
        leave(id)
        throw error
      }
    },
    sendAway() {
      for (const stream of streams) stream.sendAway()
    },
  }
}
