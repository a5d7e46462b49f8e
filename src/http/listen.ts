import { Server, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { repeat } from '../model/repeat.ts'
import type { ReadinessCheck } from './health.ts'

export interface Stopping {
  /** Fails from `leave` on, which load balancers see at `/readyz`. */
  readonly readiness: ReadinessCheck
  /** Keeps serving: clients that watch readiness send their next requests to other hosts. */
  leave(): void
  /**
   * Accepts no new connections, lets requests in progress finish within the limit, then cuts the rest. Closing alone would wait
   * for each spare connection that a browser keeps open.
   */
  stop(withinMilliseconds?: number): Promise<void>
}

/**
 * The longest wait of a host that has called `leave` for clients with open connections: one more response
 * ends each connection, and proxies close idle ones themselves. Closing a connection could race with a
 * request.
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
  /**
   * Done only now: a client notified while the host still listens would reconnect to it, and the last of
   * these connections would be reset.
   */
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

// Container platforms kill after 10 s, and closing the store takes a part of that.
const stopWithinMilliseconds = 8000
const pollMilliseconds = 20
// The request of the last accepted connection may still be in transit.
const quietMilliseconds = 100

/** Waiting ends after this many turns of the event loop that each brought a new connection, or much work. */
const turnsMax = 1000

/** The longest idle turn: a connection that arrives after its poll is reset. */
const shortMilliseconds = 0.2

/**
 * Stops accepting connections and keeps the open ones, including idle ones. A connection that is waiting to be accepted when the
 * socket closes would be reset with its request, so the socket closes right after a short turn of the event loop that brought
 * none.
 */
export async function closeListener(server: Server): Promise<void> {
  let isQuiet = false
  const record = () => {
    isQuiet = false
  }
  server.on('connection', record)
  // The system polls for connections only between the end of one turn and the end of the next.
  await turn()
  for (let turns = 0; turns < turnsMax && !isQuiet; turns += 1) {
    isQuiet = true
    const startedAt = performance.now()
    await turn()
    if (performance.now() - startedAt > shortMilliseconds) isQuiet = false
  }
  server.off('connection', record)
  // The `close` of the HTTP server would end idle connections too.
  if (server.listening) Server.prototype.close.call(server)
}

/** Listens without a log line of its own: the start reports where the hosts are. */
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
