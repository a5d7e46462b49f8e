import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** A server in this process that records the transactions it applies. */
export interface ObservedServer {
  readonly server: Server
  readonly port: number
  readonly applied: readonly string[]
}

/** A server's interpretation of a sequence of bytes. */
export interface Interpretation {
  /** The statuses of the responses in order, including 100. */
  readonly statuses: readonly number[]
  readonly applied: readonly string[]
  /** Whether the connection can be used for another request. */
  readonly staysOpen: boolean
}

/**
 * Sends the parts on a new connection, each after the response to the previous part. Both ends are in this
 * process, so it waits for quiet turns of the event loop instead of a time.
 */
export async function observe(
  observed: ObservedServer,
  parts: readonly Uint8Array[],
): Promise<Interpretation> {
  const appliedBefore = observed.applied.length
  const accepted = Promise.withResolvers<Socket>()
  observed.server.prependOnceListener('connection', accepted.resolve)
  const client = connect(observed.port, '127.0.0.1')
  let received = ''
  let isEnded = false
  client.setEncoding('latin1')
  client.on('data', (text: string) => {
    received += text
  })
  client.on('error', () => undefined)
  for (const event of ['end', 'close']) {
    client.on(event, () => {
      isEnded = true
    })
  }
  const peer = await accepted.promise
  peer.on('error', () => undefined)
  let sent = 0
  for (const part of parts) {
    if (isEnded) break
    client.write(part)
    sent += part.length
    await waitUntilQuiet(peer, () => isEnded || isQuiet(client, peer, sent))
  }
  client.destroy()
  return {
    statuses: [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    applied: observed.applied.slice(appliedBefore),
    staysOpen: !isEnded,
  }
}

/** Returns whether everything has arrived in both directions and both sides are open. */
const isQuiet = (client: Socket, peer: Socket, sent: number): boolean =>
  peer.bytesRead === sent &&
  client.bytesRead === peer.bytesWritten &&
  peer.writableLength === 0 &&
  !peer.writableEnded &&
  !peer.destroyed

/** Responses are made within a few turns of the event loop, so waiting a fixed number of turns suffices. */
async function waitUntilQuiet(peer: Socket, isDone: () => boolean): Promise<void> {
  const startedAt = performance.now()
  let quietTurns = 0
  while (quietTurns < quietTurnsMin) {
    const written = peer.bytesWritten
    await turn()
    quietTurns = isDone() && peer.bytesWritten === written ? quietTurns + 1 : 0
    if (performance.now() - startedAt > settleMillisecondsMax)
      throw new Error('The exchange does not settle.')
  }
}

const quietTurnsMin = 6

/** Far longer than any exchange takes. */
const settleMillisecondsMax = 30_000
