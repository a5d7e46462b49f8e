import type { FastifyReply } from 'fastify'
import { formatEvent, openEventStream } from '../../http/event-stream.ts'
import type { FeedWire } from '../../live/feed-stream.ts'

/** The feed as server-sent events, each with its cursor as its id. */
export const feedEvents = (reply: FastifyReply): FeedWire => ({
  eventOf: (change, cursor) => formatEvent({ event: 'change', data: JSON.stringify(change), id: cursor }),
  open(listeners) {
    const events = openEventStream(reply, listeners)
    return {
      send: (event) => events.send(event),
      // An id without data is no event, but a client that comes back begins there.
      beat: (cursor, isNews) =>
        isNews ? void events.send(Buffer.from(`id: ${cursor}\n\n`)) : events.comment('still here'),
      // A client whose session has ended asks again, and is refused then.
      close: (refusal) => events.close(refusal?.kind === 'unauthenticated' ? undefined : refusal?.message),
      sendAway: () => events.sendAway(),
    }
  },
})
