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
  { standard, http2Servers, limiter, calls, connections, stopMilliseconds }: Stopping,
): Promise<void> {
  standard.announceStop()
  await Promise.all(http2Servers.map(closeListener))
  limiter.close()
  calls.endStreams()
  const isStopped = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  const hangUps = repeat({ everyMilliseconds: hangUpMilliseconds }, connections.cutEnded)
  const giveUp = setTimeout(async () => {
    calls.giveUp()
    await sleep(hangUpMilliseconds)
    connections.cutAll()
  }, stopMilliseconds)
  await isStopped
  await hangUps.stop()
  clearTimeout(giveUp)
}

export interface Stopping {
  readonly standard: StandardServices
  readonly http2Servers: readonly Http2Server[]
  readonly limiter: { close(): void }
  readonly calls: OpenCalls
  readonly connections: Connections
  readonly stopMilliseconds: number
}

/** For the last frames to arrive, and the client to close first. */
const hangUpMilliseconds = 500
