import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated } from '../../authentication/authenticate.ts'
import { type EventStreamListeners, openEventStream } from '../../http/event-stream.ts'

export interface LiveRequest {
  readonly session: Authenticated
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** One client's view of a listing. It holds no timer and no connection of its own: the listings' one clock attends to it. */
export interface LiveStream {
  readonly sentAt: number
  readonly isChecking: boolean
  /** Ends a stream whose time is over, and sends heartbeats. */
  attend(now: number): void
  /** Sends a snapshot that was not sent yet, when the client may be told again and can take it. */
  offer(newest: Buffer, now: number): void
  close(): void
}

/** Never more than one event per second and stream. */
const betweenEventsMilliseconds = 1000
/** Short enough for proxies that close a silent connection after half a minute. */
const heartbeatMilliseconds = 15_000
/** An idle stream has no snapshot to check its session for, so it is checked in between. */
const sessionCheckMilliseconds = 5000

export const isDue = ({ sentAt, isChecking }: LiveStream, now: number): boolean =>
  !isChecking && now - sentAt >= betweenEventsMilliseconds

export function openLiveStream(
  { session, request, reply }: LiveRequest,
  listeners: EventStreamListeners,
): LiveStream {
  const events = openEventStream(reply, listeners)
  let id = lastEventId(request.headers['last-event-id'])
  let sent: Buffer | undefined
  let sentAt = 0
  let heardAt = Date.now()
  let checkedAt = heardAt
  let isChecking = false

  /** The session is looked at again before every snapshot; most times that is a look into a cache. */
  async function check(then: () => void) {
    isChecking = true
    checkedAt = Date.now()
    try {
      if (await session.recheck()) then()
      else events.close()
    } catch {
      // The store does not answer: the next tick asks again.
    } finally {
      isChecking = false
    }
  }

  return {
    get sentAt() {
      return sentAt
    },
    get isChecking() {
      return isChecking
    },
    attend(now) {
      if (now >= session.expiresAt) return events.close()
      if (!isChecking && now - checkedAt >= sessionCheckMilliseconds) void check(() => undefined)
      if (now - heardAt < heartbeatMilliseconds) return
      heardAt = now
      events.comment('still here')
    },
    offer(newest, now) {
      if (newest === sent || isChecking || now - sentAt < betweenEventsMilliseconds || !events.isReady) return
      void check(() => {
        if (!events.send(newest, id + 1)) return
        id += 1
        sent = newest
        sentAt = heardAt = Date.now()
      })
    },
    close: () => events.close(),
  }
}

/** Ids go on after the one a reconnecting client saw last. */
function lastEventId(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0
}
