import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Budgets } from '../../configuration/budgets.ts'
import { addressKey } from '../../http/address-key.ts'
import { countConnections } from '../../http/count-connections.ts'

/** Beyond what one address, and all of them, may have open, a connection is closed as soon as it comes. */
export function limitConnections(server: Server, budgets: Budgets): void {
  const ofAddress = budgets.budget('bankConnectionsOfAddress')
  countConnections(server, budgets.budget('bankConnections'))
  server.prependListener('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress)
    if (!ofAddress.take(1, address)) return void socket.destroy()
    socket.once('close', () => ofAddress.giveBack(1, address))
  })
}
