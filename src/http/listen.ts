import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Budget } from '../model/budget.ts'
import { repeat } from '../model/repeat.ts'
import { addressKey } from './addresses.ts'
import { sendEnvelope } from './errors.ts'

export interface Shutdown {
  /** Fails from `announceStop` on, which load balancers see at `/readyz`. */
  readonly readiness: ReadinessCheck
  /** Keeps serving: clients that watch readiness send their next requests to other hosts. */
  announceStop(): void
  /**
   * Accepts no new connections, lets requests in progress finish within the limit, then cuts the remaining
   * ones. Closing alone would wait for each spare connection that a browser keeps open.
   */
  stop(withinMilliseconds?: number): Promise<void>
}

/**
 * If `announceStop` was called, `stop` gives clients this long to close their idle connections, because
 * closing one could race with a request. Each connection ends with its next response, and proxies close idle
 * ones themselves.
 */
export const lingerMilliseconds = 5000

/** Watches the requests in flight of a host that will stop. */
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
  /**
   * Called only when the host no longer listens. Otherwise clients would reconnect to it, and the last of
   * these connections would be reset.
   */
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

/** Announces the end of the connection, so that the client sends its next request on another one. */
const endConnection = (reply: FastifyReply) => void reply.header('connection', 'close')

// Container platforms kill a process after 10 s, and closing the store takes a part of that.
const stopMilliseconds = 8000
const pollMilliseconds = 20
// The request of the last accepted connection may still be in transit.
const quietMilliseconds = 100

/** Limits the wait for a quiet turn of the event loop. */
const turnsMax = 1000

/**
 * In a longer turn, a connection may arrive after the poll. It would be reset, so such a turn does not count
 * as quiet.
 */
const quietTurnMilliseconds = 0.2

/**
 * Stops accepting connections and keeps the open ones, including idle ones. A connection that is waiting to
 * be accepted when the socket closes would be reset with its request, so the socket closes right after a
 * short turn of the event loop that brought none.
 */
export async function closeListener(server: Server): Promise<void> {
  let isQuiet = false
  const recordConnection = () => {
    isQuiet = false
  }
  server.on('connection', recordConnection)
  // The event loop polls once per turn, before the callbacks of `setImmediate`. After the first of these,
  // each measured turn contains exactly one poll.
  await nextTurn()
  for (let turns = 0; turns < turnsMax && !isQuiet; turns += 1) {
    isQuiet = true
    const startedAt = performance.now()
    await nextTurn()
    if (performance.now() - startedAt > quietTurnMilliseconds) isQuiet = false
  }
  server.off('connection', recordConnection)
  // The `close` of the HTTP server would end idle connections too.
  if (server.listening) Server.prototype.close.call(server)
}

/** Listens without Fastify's log line, because the start itself reports the addresses of all hosts. */
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

/** Makes the server close connections beyond the budget. Each server has its own count. */
export function limitConnections(server: Pick<Server, 'on' | 'maxConnections'>, connections: Budget): void {
  server.maxConnections = connections.max
  server.on('drop', () => connections.recordRejection())
  server.on('connection', (socket) => {
    if (connections.take(1, server)) socket.once('close', () => connections.release(1, server))
  })
}

/** Closes a connection beyond the limit of its address as soon as it arrives. */
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

/**
 * Closes a connection that sends more requests than the budget allows without waiting for responses. Its
 * remaining bytes are not served.
 */
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
  /** Visible to every client, so it reveals nothing but the name of a part. */
  readonly name: string
  /** Resolves when the part can be used. */
  readonly check: () => Promise<unknown>
}

/** `/healthz` reports that the process is alive, `/readyz` that it can do its work. */
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

/** `GET /` of the API contract (docs/contract). */
export function addHelloRoute(app: FastifyInstance): void {
  app.get('/', (_request, reply) => reply.send('Hello World!'))
}

// Load balancers give up after a few seconds. A part that is slower than this is too slow for callers, too.
const checkTimeLimitMilliseconds = 2000

/** Shares a running check between requests, so that checks of a hanging part do not pile up. */
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
