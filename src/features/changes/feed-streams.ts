import type { Authenticated } from '../../auth/authenticate.ts'
import { watchChanges } from '../../db/change-log.ts'
import { Problem, unauthenticated } from '../../model/problem.ts'
import { type RepeatedWork, repeat } from '../../model/repeat.ts'
import type { Context } from '../../records/context.ts'
import {
  type FeedFilter,
  type FeedPage,
  type FeedPosition,
  formatPosition,
  newestPosition,
  readFeed,
} from './read-feed.ts'
import { type SerializedChange, serializeChange } from './serialize-change.ts'
import { createSnapshotMemory, type SnapshotReservation, type StreamLimits, watchSession } from './streams.ts'

export interface FeedStreams {
  /** Starts the response once the first page is read, so that every error precedes it. */
  open(request: FeedStreamRequest, session: Authenticated, transport: FeedTransport): Promise<void>
  /** Ends every stream, because the host stops. */
  closeForShutdown(): void
  /** The seconds since the change log was last read successfully, or 0 while nothing is open. */
  secondsBehind(): number
}

export interface FeedStreamRequest {
  readonly filter: FeedFilter
  readonly after: FeedPosition | 'now' | undefined
}

/** The rows that one statement reads for a stream, and that a stream keeps until its client has read them. */
const pageSize = 100
/** The interval at which each stream is checked. */
const maintenanceMilliseconds = 1000

/** Streams of the change feed. They count as live listings of their account, in number and in bytes. */
export function createFeedStreams(
  context: Context,
  streamLimits: StreamLimits,
  onFailure: (error: unknown) => void,
): FeedStreams {
  const memory = createSnapshotMemory(context.budgets)
  const streams = new Set<FeedStream>()
  const wakeAll = () => {
    for (const stream of streams) stream.wake()
  }
  const watch = watchChanges({ database: context.database, onFailure, onChanges: wakeAll })
  let maintenance: RepeatedWork | undefined
  /** Counts the streams, and the requests that are about to open one. */
  let openCount = 0

  function leave(account: string) {
    streamLimits.release(account)
    openCount -= 1
    if (openCount > 0) return
    watch.stop()
    void maintenance?.stop()
    maintenance = undefined
  }

  return {
    secondsBehind: watch.secondsBehind,
    async open({ filter, after }, session, transport) {
      const { caller } = session
      const { id } = caller
      streamLimits.take(id)
      openCount += 1
      const reads = context.database.liveListReads
      const read = (position: FeedPosition | undefined) =>
        readFeed({ caller, filter, position, pageSize }, reads)
      try {
        // Watching starts before the first statement, so that no commit between the two is missed.
        await watch.start()
        const first = await read(after === 'now' ? await newestPosition(reads, caller) : after)
        // The token may have expired while the first page was awaited.
        if (!(await session.recheck())) throw unauthenticated()
        maintenance ??= repeat({ everyMilliseconds: maintenanceMilliseconds, onFailure }, () => {
          for (const stream of streams) stream.maintain(Date.now())
        })
        const stream = openFeedStream(session, transport, {
          first,
          reservation: memory.reservationFor(id),
          read,
          onFailure,
          onClose() {
            streams.delete(stream)
            leave(id)
          },
        })
        streams.add(stream)
        // Sends the start position: a client that is disconnected before the first change must not resume
        // from a later position.
        stream.maintain(Date.now())
      } catch (error) {
        leave(id)
        throw error
      }
    },
    closeForShutdown() {
      for (const stream of streams) stream.closeForShutdown()
    },
  }
}

/** Encodes the feed for one host and sends it to one client. */
export interface FeedTransport {
  /** Encodes one change. The client can resume after it with `cursor`. */
  eventOf(change: SerializedChange, cursor: string): Buffer
  open(listeners: ConnectionListeners): FeedConnection
}

export interface ConnectionListeners {
  /** The client caught up after a `send` was rejected. */
  readonly onReady: () => void
  /** Called exactly once, however the stream ended. */
  readonly onClose: () => void
}

export interface FeedConnection {
  /** Returns false when the client has not read enough yet: the event is dropped, and `onReady` follows. */
  send(event: Buffer): boolean
  /**
   * Sends a heartbeat. `isNewCursor` is true if the client does not have this cursor yet: at the start, and
   * after changes that were not for this client.
   */
  sendHeartbeat(cursor: string, isNewCursor: boolean): void
  close(problem?: Problem): void
  /** Asks the client to reconnect to another host, because this one stops. */
  closeForShutdown(): void
}

interface FeedStream {
  /** Called after a commit. */
  wake(): void
  maintain(now: number): void
  /** Asks the client to reconnect to another host, because this one stops. */
  closeForShutdown(): void
}

interface FeedStreamOptions {
  readonly first: FeedPage
  readonly reservation: SnapshotReservation
  read(position: FeedPosition): Promise<FeedPage>
  readonly onFailure: (error: unknown) => void
  readonly onClose: () => void
}

/** Short enough for proxies that close a silent connection after half a minute. */
const heartbeatMilliseconds = 15_000

/** Sends page after page, as fast as the client reads. */
function openFeedStream(
  session: Authenticated,
  transport: FeedTransport,
  { first, reservation, read, onFailure, onClose }: FeedStreamOptions,
): FeedStream {
  const pending = createPendingEvents(first, { session, transport, reservation })
  let isClosed = false
  let isReadDue = false
  let isPumping = false
  const connection = transport.open({
    onReady: () => void pump(),
    onClose() {
      isClosed = true
      sessionWatch.stop()
      reservation.reserve([])
      onClose()
    },
  })
  const sessionWatch = watchSession(session, {
    onEnded: () => connection.close(unauthenticated()),
    onFailure,
  })

  async function readNextPage() {
    // If the check fails, `maintain` tries again.
    isReadDue = !(await sessionWatch.check())
    if (isReadDue) return false
    const page = await read(pending.page.position)
    // A client that has disconnected meanwhile must not hold any bytes.
    const problem = isClosed ? undefined : pending.replace(page)
    if (problem) connection.close(problem)
    return !problem
  }

  /** Sends the rest of the page. Returns whether the next page has to be read now. */
  const finishPage = () => !isClosed && pending.sendTo(connection) && (isReadDue || !pending.page.isCurrent)

  const fail = (error: unknown) =>
    error instanceof Problem && error.kind === 'gone' ? connection.close(error) : onFailure(error)

  /** Never rejects: `fail` handles the errors, so callers need not await it. */
  async function pump() {
    if (isPumping) return
    isPumping = true
    try {
      while (finishPage()) if (!(await readNextPage())) break
    } catch (error) {
      // The position is unchanged; `maintain` tries again.
      isReadDue = true
      fail(error)
    } finally {
      isPumping = false
    }
  }

  const wake = () => {
    isReadDue = true
    void pump()
  }
  wake()
  return {
    wake,
    maintain(now) {
      if (sessionWatch.isDue(now)) void sessionWatch.check()
      if (isReadDue) void pump()
      pending.sendHeartbeat(connection, now)
    },
    closeForShutdown: () => connection.closeForShutdown(),
  }
}

interface PendingEventsOptions {
  readonly session: Authenticated
  readonly transport: FeedTransport
  readonly reservation: SnapshotReservation
}

/** The newest page, and its events that were not sent yet. */
function createPendingEvents(
  first: FeedPage,
  { session: { caller }, transport, reservation }: PendingEventsOptions,
) {
  const eventsOf = ({ changes }: FeedPage): readonly Buffer[] =>
    changes.map(({ change, position }) =>
      transport.eventOf(serializeChange(change, caller), formatPosition(position)),
    )
  let page = first
  let unsent = eventsOf(first)
  let lastSentAt = 0
  let sentPosition = ''
  const problem = reservation.reserve(unsent)
  if (problem) throw problem
  return {
    get page() {
      return page
    },
    /** Returns the problem if the page exceeds a memory limit. */
    replace(newer: FeedPage): Problem | undefined {
      page = newer
      unsent = eventsOf(newer)
      return reservation.reserve(unsent)
    },
    /** Sends the events. Returns false if the client has to read some of them before the rest. */
    sendTo(connection: FeedConnection): boolean {
      const rejectedIndex = unsent.findIndex((event) => !connection.send(event))
      const sentCount = rejectedIndex === -1 ? unsent.length : rejectedIndex
      if (sentCount > 0) lastSentAt = Date.now()
      if (sentCount > 0 && rejectedIndex === -1) sentPosition = formatPosition(page.position)
      unsent = unsent.slice(sentCount)
      if (unsent.length === 0) reservation.reserve([])
      return unsent.length === 0
    },
    sendHeartbeat(connection: FeedConnection, now: number) {
      if (now - lastSentAt < heartbeatMilliseconds || unsent.length > 0) return
      lastSentAt = now
      const position = formatPosition(page.position)
      connection.sendHeartbeat(position, position !== sentPosition)
      sentPosition = position
    },
  }
}
