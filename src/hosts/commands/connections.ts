import type { Http2Server } from 'node:http2'
import type { Socket } from 'node:net'
import type { Server } from '@grpc/grpc-js'
import type { Budgets } from '../../configuration/budgets.ts'
import { countConnections } from '../../http/count-connections.ts'

export interface Connections {
  /** Tells all that no more calls shall come on their connection; those that cross this are answered. */
  announceEnd(): void
  count(): number
  /** Those that have said everything, to clients that do not hang up. */
  cutEnded(): void
  cutAll(): void
}

/** The library waits for every client to hang up, and cuts nobody when its statistics are off. */
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
 * A GOAWAY without an error and with the highest number of a call there is, as https://www.rfc-editor.org/rfc/rfc9113#section-6.8
 * wants it before the one that refuses calls. Node has no function for it: after its own no call is answered any more. Each of
 * its writes is one of whole frames, so this one stands between two.
 */
const goAwaySoon = Buffer.from('0000080700000000007fffffff00000000', 'hex')

/** The library keeps them to itself; its version is pinned, and the tests of hostile clients need them. */
export const http2ServersOf = (server: Server): readonly Http2Server[] => [
  ...(server as unknown as { http2Servers: ReadonlyMap<Http2Server, unknown> }).http2Servers.keys(),
]
