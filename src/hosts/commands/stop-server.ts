import type { Http2Server } from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Server, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import type { Budgets } from '../../config/budgets.ts'
import { countConnections } from '../../http/limit-connections.ts'
import { closeListener } from '../../http/listen.ts'
import { repeat } from '../../model/repeat.ts'
import type { StandardServices } from './protobuf/standard-services.ts'

/** Accepts no new calls, finishes those in flight within a limit, and leaves no connection behind. */
export async function stopServer(
  server: Server,
  { standard, http2Servers, newcomers, limiter, feeds, calls, connections, hasLeft, ...limits }: Stopping,
): Promise<void> {
  const giveUp = setTimeout(async () => {
    calls.giveUp()
    await sleep(hangUpMilliseconds)
    connections.cutAll()
  }, limits.stopMilliseconds)
  standard.announceStop()
  await Promise.all(http2Servers.map(closeListener))
  await newcomers.stop()
  if (hasLeft) connections.announceEnd()
  feeds.sendAway()
  calls.endStreams()
  if (hasLeft) await untilNone(connections, limits.lingerMilliseconds)
  limiter.close()
  const isStopped = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  const hangUps = repeat({ everyMilliseconds: hangUpMilliseconds }, connections.cutEnded)
  await isStopped
  await hangUps.stop()
  clearTimeout(giveUp)
}

/** A notified client closes its connection by itself, after its last response. */
async function untilNone(connections: Connections, withinMilliseconds: number): Promise<void> {
  const endsAt = performance.now() + withinMilliseconds
  while (connections.count() > 0 && performance.now() < endsAt) await sleep(pollMilliseconds)
}

export interface Stopping {
  readonly standard: StandardServices
  readonly http2Servers: readonly Http2Server[]
  readonly newcomers: { stop(): Promise<void> }
  readonly limiter: { close(): void }
  readonly feeds: { sendAway(): void }
  readonly calls: OpenCalls
  readonly connections: Connections
  /** True if the host reported not ready for a while before, so that no client reconnects. */
  readonly hasLeft: boolean
  readonly lingerMilliseconds: number
  readonly stopMilliseconds: number
}

const pollMilliseconds = 20

/** Leaves time for the last frames to arrive, and for the client to close first. */
const hangUpMilliseconds = 500

export interface OpenCalls {
  readonly interceptor: ServerInterceptor
  /** Ends streams that would never end by themselves, such as watches of health: the host would wait for them in vain. */
  endStreams(): void
  /** Answers pending calls with the known outcome before the connection is cut. */
  giveUp(): void
}

/** Watches the calls in flight. */
export function trackCalls(): OpenCalls {
  const open = new Map<ServerInterceptingCall, 'arriving' | 'working' | 'streaming'>()
  return {
    interceptor({ requestStream, responseStream }, call) {
      const isStream = requestStream || responseStream
      const tracked = new ServerInterceptingCall(call, {
        start(next) {
          next({
            onReceiveMetadata(metadata, received) {
              open.set(tracked, isStream ? 'streaming' : 'arriving')
              received(metadata)
            },
            onReceiveHalfClose(received) {
              if (!isStream) open.set(tracked, 'working')
              received()
            },
            onCancel: () => void open.delete(tracked),
          })
        },
      })
      return tracked
    },
    endStreams() {
      for (const [call, state] of open) if (state === 'streaming') call.sendStatus(nothingDone)
    },
    giveUp() {
      for (const [call, state] of open) call.sendStatus(state === 'working' ? outcomeUnknown : nothingDone)
    },
  }
}

const nothingDone = { code: status.UNAVAILABLE, details: 'The host stops.' }

/** A client that receives UNAVAILABLE retries, which would be wrong for a call that may have been executed. */
const outcomeUnknown = { code: status.UNKNOWN, details: 'The host stopped before the outcome was known.' }

interface Connections {
  /** Announces that no more calls are accepted on the connections; calls that cross the announcement are answered. */
  announceEnd(): void
  count(): number
  /** Cuts connections without calls whose clients do not close them. */
  cutEnded(): void
  cutAll(): void
}

/** The library waits for every client to disconnect, and cuts none when its statistics are off. */
export function trackConnections(http2Servers: readonly Http2Server[], budgets: Budgets): Connections {
  const open = new Set<Socket>()
  for (const http2Server of http2Servers) {
    countConnections(http2Server, budgets.budget('commandConnections'))
    http2Server.on('connection', (socket: Socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    })
  }
  return {
    announceEnd() {
      for (const socket of open) socket.write(goAwaySoon)
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
 * A GOAWAY without an error and with the highest possible stream number, which
 * https://www.rfc-editor.org/rfc/rfc9113#section-6.8 requires before the one that rejects calls. Node has no
 * function for it, and answers no call after its own. Each of Node's writes consists of whole frames, so this
 * one fits between two.
 */
const goAwaySoon = Buffer.from('0000080700000000007fffffff00000000', 'hex')

/** Internals of the library; its version is pinned, and the tests of hostile clients depend on them. */
export const http2ServersOf = (server: Server): readonly Http2Server[] => [
  ...(server as unknown as { http2Servers: ReadonlyMap<Http2Server, unknown> }).http2Servers.keys(),
]
