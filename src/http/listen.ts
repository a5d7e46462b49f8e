import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Budget } from '../model/budget.ts'
import { repeat } from '../model/repeat.ts'
import { addressKey } from './addresses.ts'
import { sendEnvelope } from './errors.ts'

export interface Shutdown {
  /** Fails after `announceStop`, so that load balancers notice the stop at `/readyz`. */
  readonly readiness: ReadinessCheck
  /** Keeps serving requests, while clients that watch readiness send their next requests to other hosts. */
  announceStop(): void
  /** Stops accepting connections, waits for requests in progress, and closes the remaining connections. */
  stop(withinMilliseconds?: number): Promise<void>
}

/**
 * After `announceStop`, `stop` gives clients this long to close their idle connections. Closing a connection
 * could interrupt a request that the client has just sent.
 */
export const lingerMilliseconds = 5000

/** Prepares the host for a stop without failed requests. */
export function prepareShutdown(app: FastifyInstance, { linger = lingerMilliseconds } = {}): Shutdown {
  const inFlight = new Set<FastifyReply>()
  let isStopping = false
  let closesConnections = false
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
    if (closesConnections) endConnection(reply)
    done()
  })
  /** Called after the host has stopped listening. Otherwise clients would reconnect to it. */
  function endConnections() {
    closesConnections = true
    for (const reply of inFlight) if (!reply.raw.headersSent) endConnection(reply)
  }
  async function waitForIdleConnections() {
    const endsAt = performance.now() + linger
    while (connections > inFlight.size && performance.now() < endsAt) await sleep(pollMilliseconds)
  }
  return {
    readiness: {
      name: 'the host stops',
      async check() {
        if (isStopping) throw new Error('The host stops.')
      },
    },
    announceStop() {
      isStopping = true
    },
    async stop(withinMilliseconds = stopMilliseconds) {
      const hasAnnouncedStop = isStopping
      isStopping = true
      const cutAt = performance.now() + withinMilliseconds
      await closeListener(app.server)
      endConnections()
      if (hasAnnouncedStop) await waitForIdleConnections()
      const cutting = repeat({ everyMilliseconds: pollMilliseconds }, () => {
        const isQuiet = performance.now() - acceptedAt > quietMilliseconds
        const isIdle = inFlight.size === 0 && isQuiet && !app.server.listening
        if (isIdle || performance.now() >= cutAt) app.server.closeAllConnections()
      })
      try {
        await app.close()
      } finally {
        await cutting.stop()
      }
    },
  }
}

/** Asks the client to send its next request on another connection. */
const endConnection = (reply: FastifyReply) => void reply.header('connection', 'close')

// Container platforms kill a process after ten seconds. Closing the store needs a part of this time.
const stopMilliseconds = 8000
const pollMilliseconds = 20
// The request of the last accepted connection may still be in transit.
const quietMilliseconds = 100

/** The listener is closed after this number of turns, even if none was quiet. */
const turnsMax = 1000

/** In a longer turn, a connection may arrive after the poll and would be reset. */
const quietTurnMilliseconds = 0.2

/**
 * Stops accepting connections and keeps open connections. A connection that waits to be accepted would be
 * reset, so the listener is closed after a short turn of the event loop in which no connection arrived.
 */
export async function closeListener(server: Server): Promise<void> {
  let isQuiet = false
  const recordConnection = () => {
    isQuiet = false
  }
  server.on('connection', recordConnection)
  // The event loop polls once per turn, before the callbacks of `setImmediate`. The first callback begins a
  // complete turn.
  await nextTurn()
  for (let turns = 0; turns < turnsMax && !isQuiet; turns += 1) {
    isQuiet = true
    const startedAt = performance.now()
    await nextTurn()
    if (performance.now() - startedAt > quietTurnMilliseconds) isQuiet = false
  }
  server.off('connection', recordConnection)
  // The `close` of the HTTP server would close idle connections as well.
  if (server.listening) Server.prototype.close.call(server)
}

/** Suppresses the log line of Fastify, because the start reports the addresses of all hosts. */
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

/** Makes the server close connections above the limit. */
export function limitConnections(server: Pick<Server, 'on' | 'maxConnections'>, connections: Budget): void {
  server.maxConnections = connections.max
  server.on('drop', () => connections.recordRejection())
  server.on('connection', (socket) => {
    if (connections.take(1, server)) socket.once('close', () => connections.release(1, server))
  })
}

/** Closes a connection above the limit of its address as soon as it arrives. */
export function limitConnectionsPerAddress(
  server: Pick<Server, 'prependListener'>,
  perAddress: Budget,
): void {
  server.prependListener('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress)
    if (!perAddress.take(1, address)) return void socket.destroy()
    socket.once('close', () => perAddress.release(1, address))
  })
}

/** Closes a connection that sends too many requests without waiting for responses. */
export function limitPipelining(serve: RequestListener, perConnection: Budget): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    if (!perConnection.take(1, socket)) return void socket.destroy()
    response.once('close', () => perConnection.release(1, socket))
    serve(request, response)
  }
}

export interface ReadinessCheck {
  /** The name of the part that is checked. Every client can see it. */
  readonly name: string
  /** Rejects if the part cannot be used. */
  readonly check: () => Promise<unknown>
}

/**
 * Adds `/healthz`, which reports that the process is alive, and `/readyz`, which reports that it can do its
 * work.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  checks: readonly ReadinessCheck[],
  timeLimitMilliseconds = checkTimeLimitMilliseconds,
): void {
  const timedChecks = checks.map(({ name, check }) => {
    const isReady = withTimeLimit(shareRunningCheck(check), timeLimitMilliseconds)
    return async () => ((await isReady()) ? [] : [name])
  })
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send('Healthy'))
  app.get('/readyz', async (_request, reply) => {
    const unready = (await Promise.all(timedChecks.map((check) => check()))).flat()
    if (unready.length === 0) return reply.header('cache-control', 'no-store').send('Healthy')
    const errors = Object.fromEntries(unready.map((name) => [name, ['Not ready.']]))
    reply.header('retry-after', '1')
    return sendEnvelope(reply, { statusCode: 503, message: `Not ready: ${unready.join(', ')}.`, errors })
  })
}

/** Adds `GET /` of the API contract (docs/contract). */
export function addHelloRoute(app: FastifyInstance): void {
  app.get('/', (_request, reply) => reply.send('Hello World!'))
}

// Load balancers wait only a few seconds.
const checkTimeLimitMilliseconds = 2000

/** Shares a running check between requests, so that checks of a part that hangs do not accumulate. */
function shareRunningCheck(check: () => Promise<unknown>): () => Promise<boolean> {
  let running: Promise<boolean> | undefined
  const run = async () => {
    try {
      await check()
      return true
    } catch {
      return false
    } finally {
      running = undefined
    }
  }
  return () => {
    running ??= run()
    return running
  }
}

function withTimeLimit(check: () => Promise<boolean>, milliseconds: number): () => Promise<boolean> {
  return async () => {
    const timeout = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => timeout.resolve(false), milliseconds)
    try {
      return await Promise.race([check(), timeout.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
