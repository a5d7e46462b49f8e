import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated } from '../../auth/authenticate.ts'
import { type EventStreamListeners, openEventStream } from '../../http/event-stream.ts'
import { type FeedPosition, formatPosition } from './read-feed.ts'
import { type SnapshotReservation, watchSession } from './streams.ts'

export interface LiveRequest {
  readonly session: Authenticated
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

interface LiveStreamListeners extends EventStreamListeners {
  readonly reservation: SnapshotReservation
  /** The id of a snapshot, if the listing gives its snapshots ids. */
  idOf(snapshot: Buffer): string | undefined
  readonly onFailure: (error: unknown) => void
}

/** Sends a listing to one client. A single timer calls `maintain` of all streams. */
export interface LiveStream {
  readonly sentAt: number
  readonly isChecking: boolean
  /** Ends an expired stream, and sends heartbeats. */
  maintain(now: number): void
  /**
   * Sends a new snapshot when the next event is due and the client can take it. Ends the stream if it
   * exceeds a memory limit.
   */
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
  { reservation, idOf, onReady, onClose, onFailure }: LiveStreamListeners,
): LiveStream {
  let isClosed = false
  const events = openEventStream(reply, {
    onReady,
    onClose() {
      isClosed = true
      sessionWatch.stop()
      reservation.reserve([])
      onClose()
    },
  })
  let resumedId = request.headers['last-event-id']
  let lastNumber = lastEventNumber(resumedId)
  let sent: Buffer | undefined
  let latest: Buffer | undefined
  let sentAt = 0
  let lastWriteAt = Date.now()
  const sessionWatch = watchSession(session, { onEnded: () => events.close(), onFailure })

  function keepLatest(newest: Buffer) {
    if (isClosed || newest === latest) return
    // A client that can take another event has read the previous one.
    const problem = reservation.reserve(sent && !events.isReady ? [sent, newest] : [newest])
    if (problem) return events.close(problem.message)
    latest = newest
  }

  return {
    get sentAt() {
      return sentAt
    },
    get isChecking() {
      return sessionWatch.isInFlight
    },
    maintain(now) {
      if (sessionWatch.isDue(now)) void sessionWatch.check()
      if (now - lastWriteAt < heartbeatMilliseconds) return
      lastWriteAt = now
      events.comment('still here')
    },
    offer(newest, now) {
      keepLatest(newest)
      // A client that resumes with this same snapshot is not sent it again.
      if (isSameSnapshot(resumedId, idOf(newest))) sent = newest
      resumedId = undefined
      const isWaiting = sessionWatch.isInFlight || now - sentAt < eventIntervalMilliseconds || !events.isReady
      if (newest === sent || isWaiting) return
      void sessionWatch.check(() => {
        // A newer snapshot may have arrived during the session check. The previous one is no longer reserved.
        if (!latest || !events.send(latest, idOf(latest) ?? lastNumber + 1)) return
        lastNumber += 1
        sent = latest
        reservation.reserve([sent])
        sentAt = lastWriteAt = Date.now()
      })
    },
    has: (snapshot) => snapshot === sent,
    close: (reason) => events.close(reason),
    closeForShutdown: () => events.closeForShutdown(),
  }
}

/** Numbers of events continue from the last number that a reconnecting client has received. */
function lastEventNumber(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0
}

/** 132 bits, so different contents do not have the same hash by chance. */
const hashCharacters = 22

/**
 * Combines the position of a snapshot in the feed, from which a client resumes, with a hash of its content,
 * by which an unchanged snapshot is recognized.
 */
export const snapshotId = (position: FeedPosition, data: string): string =>
  `${formatPosition(position)}~${hash('sha256', data, 'base64url').slice(0, hashCharacters)}`

function isSameSnapshot(resumedId: unknown, id: string | undefined): boolean {
  if (typeof resumedId !== 'string' || id === undefined) return false
  const hashOf = (text: string) => text.split('~')[1]
  return hashOf(resumedId) !== undefined && hashOf(resumedId) === hashOf(id)
}
