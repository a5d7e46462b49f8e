import type { Http2Server } from 'node:http2'
import type { Socket } from 'node:net'
import type { Server } from '@grpc/grpc-js'
import type { Budgets } from '../../configuration/budgets.ts'
import { countConnections } from '../../http/count-connections.ts'

export interface Connections {
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
    cutEnded() {
      for (const socket of open) if (socket.writableFinished) socket.destroy()
    },
    cutAll() {
      for (const socket of open) socket.destroy()
    },
  }
}

/** The library keeps them to itself; its version is pinned, and the tests of hostile clients need them. */
export const http2ServersOf = (server: Server): readonly Http2Server[] => [
  ...(server as unknown as { http2Servers: ReadonlyMap<Http2Server, unknown> }).http2Servers.keys(),
]
