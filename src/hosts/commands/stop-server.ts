import type { Http2Server } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from '@grpc/grpc-js'
import { closeListener } from '../../http/close-listener.ts'
import { repeat } from '../../schedule/repeat.ts'
import type { Connections } from './connections.ts'
import type { OpenCalls } from './open-calls.ts'
import type { StandardServices } from './protobuf/standard-services.ts'

/** Takes no new calls, finishes those in flight, but not for ever, and leaves no connection behind. */
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

/** A client that was told ends its connection by itself, with its last answer. */
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
  /** It was not ready for a while before, so that nobody comes back. */
  readonly hasLeft: boolean
  readonly lingerMilliseconds: number
  readonly stopMilliseconds: number
}

const pollMilliseconds = 20

/** For the last frames to arrive, and the client to close first. */
const hangUpMilliseconds = 500
