import type { FastifyInstance, FastifyReply } from 'fastify'
import { repeat } from '../schedule/repeat.ts'
import { closeListener } from './close-listener.ts'
import type { ReadinessCheck } from './health.ts'

export interface Stopping {
  /** Fails from `leave` on, for `/readyz`: balancers look there. */
  readonly readiness: ReadinessCheck
  /** Goes on serving, and tells with every answer that the connection ends, so that the next request goes elsewhere. */
  leave(): void
  /**
   * No new connections, what was begun is finished within the limit, then everything left is cut. Closing alone would wait
   * for each spare connection a browser keeps open.
   */
  stop(withinMilliseconds?: number): Promise<void>
}

/** Watches the requests in flight of a host that will stop. */
export function prepareStop(app: FastifyInstance): Stopping {
  const inFlight = new Set<FastifyReply>()
  let isLeaving = false
  let acceptedAt = Number.NEGATIVE_INFINITY
  app.server.on('connection', () => {
    acceptedAt = performance.now()
  })
  app.addHook('onRequest', (_request, reply, done) => {
    inFlight.add(reply)
    reply.raw.once('close', () => inFlight.delete(reply))
    if (isLeaving) endConnection(reply)
    done()
  })
  function leave() {
    isLeaving = true
    for (const reply of inFlight) if (!reply.raw.headersSent) endConnection(reply)
  }
  return {
    readiness: {
      name: 'the host stops',
      async check() {
        if (isLeaving) throw new Error('The host stops.')
      },
    },
    leave,
    async stop(withinMilliseconds = stopWithinMilliseconds) {
      const patienceMilliseconds = isLeaving ? patientMilliseconds : impatientMilliseconds
      leave()
      const cutAt = performance.now() + withinMilliseconds
      await closeListener(app.server)
      const closing = repeat({ everyMilliseconds: pollMilliseconds }, () => {
        const isQuiet = performance.now() - acceptedAt > patienceMilliseconds
        const isIdle = inFlight.size === 0 && isQuiet && !app.server.listening
        if (isIdle || performance.now() >= cutAt) app.server.closeAllConnections()
      })
      try {
        await app.close()
      } finally {
        await closing.stop()
      }
    },
  }
}

const endConnection = (reply: FastifyReply) => void reply.header('connection', 'close')

// Container platforms kill after 10 s; the store wants some of that to close too.
const stopWithinMilliseconds = 8000
const pollMilliseconds = 20
// What was accepted last may have its request still on its way; behind a proxy that was told, nobody waits for the end.
const impatientMilliseconds = 100
const patientMilliseconds = 2000
