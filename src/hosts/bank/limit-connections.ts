import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Budgets, budgetLimits } from '../../configuration/budgets.ts'
import { addressKey } from '../../http/address-key.ts'

/** Beyond what one address, and all of them, may have open, a connection is closed as soon as it comes. */
export function limitConnections(server: Server, budgets: Budgets): void {
  const ofAll = budgets.budget('bankConnections')
  const ofAddress = budgets.budget('bankConnectionsOfAddress')
  // The server itself closes what is over it; the budget counts.
  server.maxConnections = budgetLimits.bankConnections.max
  server.on('drop', () => ofAll.noteRefusal())
  server.prependListener('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress)
    if (!ofAddress.take(1, address)) return void socket.destroy()
    ofAll.take()
    socket.once('close', () => {
      ofAddress.giveBack(1, address)
      ofAll.giveBack()
    })
  })
}
