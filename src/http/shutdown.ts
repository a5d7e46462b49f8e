import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { repeat } from '../schedule/repeat.ts'
import { closeListener } from './close-listener.ts'
import type { ReadinessCheck } from './health.ts'

export interface Stopping {
  /** Fails from `leave` on, for `/readyz`: balancers look there. */
  readonly readiness: ReadinessCheck
  /** Goes on serving as before: who looks at readiness sends what comes next elsewhere. */
  leave(): void
  /**
   * No new connections, what was begun is finished within the limit, then everything left is cut. Closing alone would wait
   * for each spare connection a browser keeps open.
   */
  stop(withinMilliseconds?: number): Promise<void>
}

/**
 * How long a host that has left before waits for who keeps a connection to it: an answer more ends each, and a proxy closes
 * idle ones itself. A host that closes them may cross a request.
 */
export const lingerMilliseconds = 5000

/** Watches the requests in flight of a host that will stop. */
export function prepareStop(app: FastifyInstance, { linger = lingerMilliseconds } = {}): Stopping {
  const inFlight = new Set<FastifyReply>()
  let isLeaving = false
  let isLastAnswer = false
  let connections = 0
  let acceptedAt = Number.NEGATIVE_INFINITY
  app.server.on('connection', (socket: Socket) => {
    acceptedAt = performance.now()
    connections += 1
    socket.once('close', () => {
      connections -= 1
    })
  })
  app.addHook('onRequest', (_request, reply, done) => {
    inFlight.add(reply)
    reply.raw.once('close', () => inFlight.delete(reply))
    if (isLastAnswer) endConnection(reply)
    done()
  })
  /** Not sooner: who is told while the host still listens opens a new connection to it, and the last of these would be reset. */
  function endConnections() {
    isLastAnswer = true
    for (const reply of inFlight) if (!reply.raw.headersSent) endConnection(reply)
  }
  async function waitForIdleOnes() {
    const endsAt = performance.now() + linger
    while (connections > inFlight.size && performance.now() < endsAt) await sleep(pollMilliseconds)
  }
  return {
    readiness: {
      name: 'the host stops',
      async check() {
        if (isLeaving) throw new Error('The host stops.')
      },
    },
    leave() {
      isLeaving = true
    },
    async stop(withinMilliseconds = stopWithinMilliseconds) {
      const hasLeft = isLeaving
      isLeaving = true
      const cutAt = performance.now() + withinMilliseconds
      await closeListener(app.server)
      endConnections()
      if (hasLeft) await waitForIdleOnes()
      const closing = repeat({ everyMilliseconds: pollMilliseconds }, () => {
        const isQuiet = performance.now() - acceptedAt > quietMilliseconds
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
// What was accepted last may have its request still on its way.
const quietMilliseconds = 100
