import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from '@grpc/grpc-js'
import { repeat } from '../../schedule/repeat.ts'
import type { Connections } from './connections.ts'
import type { OpenCalls } from './open-calls.ts'

/** Takes no new calls, finishes those in flight, but not for ever, and leaves no connection behind. */
export async function stopServer(
  server: Server,
  { calls, connections, stopMilliseconds }: Stopping,
): Promise<void> {
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
  readonly calls: OpenCalls
  readonly connections: Connections
  readonly stopMilliseconds: number
}

/** For the last frames to arrive, and the client to close first. */
const hangUpMilliseconds = 500
