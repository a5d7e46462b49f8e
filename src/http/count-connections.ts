import type { Server } from 'node:net'
import type { Budget } from '../model/budget.ts'

/** The server itself closes what is over its budget; the budget counts, for each server its own. */
export function countConnections(server: Pick<Server, 'on' | 'maxConnections'>, connections: Budget): void {
  server.maxConnections = connections.max
  server.on('drop', () => connections.noteRefusal())
  server.on('connection', (socket) => {
    if (connections.take(1, server)) socket.once('close', () => connections.giveBack(1, server))
  })
}
