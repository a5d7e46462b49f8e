import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** A server in this process, with the transactions that it was told to apply. */
export interface Observed {
  readonly server: Server
  readonly port: number
  readonly applied: readonly string[]
}

/** What a sequence of bytes meant to a server. */
export interface Meaning {
  /** Of the answers, in their order; 100 among them. */
  readonly statuses: readonly number[]
  readonly applied: readonly string[]
  /** Whether the connection may be used for a further request. */
  readonly goesOn: boolean
}

/**
 * Sends the parts on a connection of their own, each when the one before it was read and everything that came of it was
 * answered. Both ends are in this process, so nothing is waited for by the clock.
 */
export async function observe(observed: Observed, parts: readonly Uint8Array[]): Promise<Meaning> {
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
    await settle(peer, () => isEnded || isQuiet(client, peer, sent))
  }
  client.destroy()
  return {
    statuses: [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    applied: observed.applied.slice(appliedBefore),
    goesOn: !isEnded,
  }
}

/** Everything that was written has arrived, on both ways, and nobody has said that it was the last. */
const isQuiet = (client: Socket, peer: Socket, sent: number): boolean =>
  peer.bytesRead === sent &&
  client.bytesRead === peer.bytesWritten &&
  peer.writableLength === 0 &&
  !peer.writableEnded &&
  !peer.destroyed

/** Answers are made within a few turns of the event loop: every wait of theirs is for one. */
async function settle(peer: Socket, isDone: () => boolean): Promise<void> {
  const startedAt = performance.now()
  for (let quietTurns = 0; quietTurns < quietTurnsMin; ) {
    const written = peer.bytesWritten
    await turn()
    quietTurns = isDone() && peer.bytesWritten === written ? quietTurns + 1 : 0
    if (performance.now() - startedAt > hangsAfterMilliseconds)
      throw new Error('The exchange does not settle.')
  }
}

const quietTurnsMin = 6

/** Longer than the longest limit of a server. */
const hangsAfterMilliseconds = 30_000
