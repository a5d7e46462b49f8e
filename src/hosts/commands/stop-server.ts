import type { Http2Server } from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Server, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import type { Budgets } from '../../config/budgets.ts'
import { closeListener, limitConnections } from '../../http/listen.ts'
import { repeat } from '../../model/repeat.ts'
import type { StandardServices } from './protobuf/standard-services.ts'

/** Accepts no new calls, finishes calls in flight within a limit, and closes all connections. */
export async function stopServer(
  server: Server,
  {
    standard,
    http2Servers,
    newcomers,
    limiter,
    feeds,
    calls,
    connections,
    hasAnnouncedStop,
    ...limits
  }: StopOptions,
): Promise<void> {
  const deadline = setTimeout(async () => {
    calls.endAll()
    await sleep(disconnectMilliseconds)
    connections.cutAll()
  }, limits.stopMilliseconds)
  standard.announceStop()
  await Promise.all(http2Servers.map(closeListener))
  await newcomers.stop()
  if (hasAnnouncedStop) connections.announceGoAway()
  feeds.closeForShutdown()
  calls.endStreams()
  if (hasAnnouncedStop) await waitForDisconnects(connections, limits.lingerMilliseconds)
  limiter.close()
  const isStopped = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  const disconnecting = repeat({ everyMilliseconds: disconnectMilliseconds }, connections.cutEnded)
  await isStopped
  await disconnecting.stop()
  clearTimeout(deadline)
}

/** Clients that have received the GOAWAY frame close their connections after their last responses. */
async function waitForDisconnects(connections: Connections, withinMilliseconds: number): Promise<void> {
  const endsAt = performance.now() + withinMilliseconds
  while (connections.count() > 0 && performance.now() < endsAt) await sleep(pollMilliseconds)
}

export interface StopOptions {
  readonly standard: StandardServices
  readonly http2Servers: readonly Http2Server[]
  readonly newcomers: { stop(): Promise<void> }
  readonly limiter: { close(): void }
  readonly feeds: { closeForShutdown(): void }
  readonly calls: OpenCalls
  readonly connections: Connections
  /** True if the host has reported for a while that it is not ready, so that no client reconnects. */
  readonly hasAnnouncedStop: boolean
  readonly lingerMilliseconds: number
  readonly stopMilliseconds: number
}

const pollMilliseconds = 20

/** Leaves time for the last frames to arrive, and for the client to close first. */
const disconnectMilliseconds = 500

export interface OpenCalls {
  readonly interceptor: ServerInterceptor
  /** Ends streams that would never end by themselves, such as watches of health. */
  endStreams(): void
  /**
   * Ends every call with a status that says whether it may have been executed, before connections are cut.
   */
  endAll(): void
}

/** Tracks the calls in flight. */
export function trackCalls(): OpenCalls {
  const open = new Map<ServerInterceptingCall, 'arriving' | 'working' | 'streaming'>()
  return {
    interceptor({ requestStream, responseStream }, call) {
      const isStream = requestStream || responseStream
      const tracked = new ServerInterceptingCall(call, {
        start(next) {
          next({
            onReceiveMetadata(metadata, forward) {
              open.set(tracked, isStream ? 'streaming' : 'arriving')
              forward(metadata)
            },
            onReceiveHalfClose(forward) {
              if (!isStream) open.set(tracked, 'working')
              forward()
            },
            onCancel: () => void open.delete(tracked),
          })
        },
      })
      return tracked
    },
    endStreams() {
      for (const [call, state] of open) if (state === 'streaming') call.sendStatus(notExecuted)
    },
    endAll() {
      for (const [call, state] of open) call.sendStatus(state === 'working' ? outcomeUnknown : notExecuted)
    },
  }
}

const notExecuted = { code: status.UNAVAILABLE, details: 'The host stops.' }

/** Not UNAVAILABLE, because clients would then retry a call that may have been executed. */
const outcomeUnknown = { code: status.UNKNOWN, details: 'The host stopped before the outcome was known.' }

interface Connections {
  /**
   * Announces on the connections that calls will be rejected. Calls that cross the announcement are answered.
   */
  announceGoAway(): void
  count(): number
  /** Closes connections that this host has ended and their clients keep open. */
  cutEnded(): void
  cutAll(): void
}

/**
 * Tracks connections, because the library waits for every client to disconnect and cuts none when its
 * statistics are off.
 */
export function trackConnections(http2Servers: readonly Http2Server[], budgets: Budgets): Connections {
  const open = new Set<Socket>()
  for (const http2Server of http2Servers) {
    limitConnections(http2Server, budgets.budget('commandConnections'))
    http2Server.on('connection', (socket: Socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
  }
  return {
    announceGoAway() {
      for (const socket of open) socket.write(goAwayFrame)
    },
    count: () => open.size,
    cutEnded() {
      for (const socket of open) if (socket.writableFinished) socket.destroy()
    },
    cutAll() {
      for (const socket of open) socket.destroy()
    },
  }
}

/**
 * A GOAWAY frame without an error and with the highest possible stream number. It must precede the GOAWAY
 * frame that rejects calls (https://www.rfc-editor.org/rfc/rfc9113#section-6.8). Node cannot send it, so it
 * is written between two writes of whole frames.
 */
const goAwayFrame = Buffer.from('0000080700000000007fffffff00000000', 'hex')

/** Internals of the library; its version is pinned, and the tests of hostile clients depend on them. */
export const http2ServersOf = (server: Server): readonly Http2Server[] => [
  ...(server as unknown as { http2Servers: ReadonlyMap<Http2Server, unknown> }).http2Servers.keys(),
]
