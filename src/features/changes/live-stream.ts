import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated } from '../../auth/authenticate.ts'
import { type EventStreamListeners, openEventStream } from '../../http/event-stream.ts'
import { type FeedPosition, formatPosition } from './read-feed.ts'
import type { SnapshotReservation } from './stream-limits.ts'
import { watchSession } from './watch-session.ts'

export interface LiveRequest {
  readonly session: Authenticated
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

interface LiveStreamListeners extends EventStreamListeners {
  readonly reservation: SnapshotReservation
  /** The id of a snapshot, if the listing gives its snapshots ids. */
  idOf(snapshot: Buffer): string | undefined
}

/** One client's view of a listing. It has no timer of its own: the one timer of all listings calls `maintain`. */
export interface LiveStream {
  readonly sentAt: number
  readonly isChecking: boolean
  /** Ends an expired stream, and sends heartbeats. */
  maintain(now: number): void
  /** Sends a new snapshot when the next event is due and the client can take it. Ends the stream when there is no room. */
  offer(newest: Buffer, now: number): void
  /** Returns whether the client was sent this snapshot, or has it from an earlier connection. */
  has(snapshot: Buffer): boolean
  close(reason?: string): void
  /** Asks the client to reconnect to another host, because this one stops. */
  closeForShutdown(): void
}

/** The minimum between two events of a stream. */
const eventIntervalMilliseconds = 1000
/** Short enough for proxies that close a silent connection after half a minute. */
const heartbeatMilliseconds = 15_000

export const isDue = ({ sentAt, isChecking }: LiveStream, now: number): boolean =>
  !isChecking && now - sentAt >= eventIntervalMilliseconds

export function openLiveStream(
  { session, request, reply }: LiveRequest,
  { reservation, idOf, onReady, onClose }: LiveStreamListeners,
): LiveStream {
  let isClosed = false
  const events = openEventStream(reply, {
    onReady,
    onClose() {
      isClosed = true
      check.stop()
      reservation.reserve([])
      onClose()
    },
  })
  let heldId = request.headers['last-event-id']
  let id = lastEventId(heldId)
  let sent: Buffer | undefined
  let latest: Buffer | undefined
  let sentAt = 0
  let lastSentAt = Date.now()
  const check = watchSession(session, () => events.close())

  function keepLatest(newest: Buffer) {
    if (isClosed || newest === latest) return
    // A client with room for another event has read the one before.
    const problem = reservation.reserve(sent && !events.isReady ? [sent, newest] : [newest])
    if (problem) return events.close(problem.message)
    latest = newest
  }

  return {
    get sentAt() {
      return sentAt
    },
    get isChecking() {
      return check.isInFlight
    },
    maintain(now) {
      if (check.isDue(now)) void check.run()
      if (now - lastSentAt < heartbeatMilliseconds) return
      lastSentAt = now
      events.comment('still here')
    },
    offer(newest, now) {
      keepLatest(newest)
      // A client that resumes with this same snapshot is not sent it again.
      if (isSameSnapshot(heldId, idOf(newest))) sent = newest
      heldId = undefined
      if (newest === sent || check.isInFlight || now - sentAt < eventIntervalMilliseconds || !events.isReady)
        return
      void check.run(() => {
        // A newer one may have arrived during the session check; the one before it is no longer kept.
        if (!latest || !events.send(latest, idOf(latest) ?? id + 1)) return
        id += 1
        sent = latest
        reservation.reserve([sent])
        sentAt = lastSentAt = Date.now()
      })
    },
    has: (snapshot) => snapshot === sent,
    close: (reason) => events.close(reason),
    closeForShutdown: () => events.closeForShutdown(),
  }
}

/** Ids continue from the last one that a reconnecting client saw. */
function lastEventId(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0
}

const hashCharacters = 22

/**
 * Combines the position of a snapshot in the feed with a hash of its content: the first to resume from, the
 * second to recognize it.
 */
export const snapshotId = (position: FeedPosition, data: string): string =>
  `${formatPosition(position)}~${hash('sha256', data, 'base64url').slice(0, hashCharacters)}`

function isSameSnapshot(heldId: unknown, id: string | undefined): boolean {
  if (typeof heldId !== 'string' || id === undefined) return false
  const hashOf = (text: string) => text.split('~')[1]
  return hashOf(heldId) !== undefined && hashOf(heldId) === hashOf(id)
}
