import { Server, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { repeat } from '../model/repeat.ts'
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

/** After this many turns of the event loop that each brought a new connection, or much work, waiting is given up. */
const turnsMax = 1000

/** Of a turn in which nothing was done: what comes after its look for connections is reset. */
const shortMilliseconds = 0.2

/**
 * Stops accepting connections and keeps the open ones, idle ones too. A connection that is waiting to be accepted when the
 * socket closes would be reset with its request, so the socket closes right after a short turn of the event loop that brought none.
 */
export async function closeListener(server: Server): Promise<void> {
  let isQuiet = false
  const note = () => {
    isQuiet = false
  }
  server.on('connection', note)
  // Only from the end of one turn to the end of the next has the system been asked for connections.
  await turn()
  for (let turns = 0; turns < turnsMax && !isQuiet; turns += 1) {
    isQuiet = true
    const startedAt = performance.now()
    await turn()
    if (performance.now() - startedAt > shortMilliseconds) isQuiet = false
  }
  server.off('connection', note)
  // The HTTP server's own way to close ends idle connections too.
  if (server.listening) Server.prototype.close.call(server)
}

/** Starts to listen without a log line of its own: the start says where the hosts are. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const { level } = app.log
  app.log.level = 'warn'
  try {
    await app.listen({ host, port })
  } finally {
    app.log.level = level
  }
}
