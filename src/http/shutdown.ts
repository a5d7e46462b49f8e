import type { FastifyInstance, FastifyReply } from 'fastify'
import { repeat } from '../schedule/repeat.ts'

/**
 * Watches the requests in flight, and returns how to stop: no new connections, what was begun is finished within the
 * limit, then everything left is cut. Closing alone would wait for each spare connection a browser keeps open.
 */
export function prepareStop(app: FastifyInstance): (withinMilliseconds?: number) => Promise<void> {
  const inFlight = new Set<FastifyReply>()
  app.addHook('onRequest', (_request, reply, done) => {
    inFlight.add(reply)
    reply.raw.once('close', () => inFlight.delete(reply))
    done()
  })
  return async (withinMilliseconds = stopWithinMilliseconds) => {
    for (const reply of inFlight) {
      if (!reply.raw.headersSent) reply.header('connection', 'close')
    }
    const cutAt = performance.now() + withinMilliseconds
    const closing = repeat({ everyMilliseconds: pollMilliseconds }, () => {
      const isIdle = inFlight.size === 0 && !app.server.listening
      if (isIdle || performance.now() >= cutAt) app.server.closeAllConnections()
    })
    try {
      await app.close()
    } finally {
      await closing.stop()
    }
  }
}

// Container platforms kill after 10 s; the store wants some of that to close too.
const stopWithinMilliseconds = 8000
const pollMilliseconds = 20
