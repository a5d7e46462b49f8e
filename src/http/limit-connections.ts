import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Budget } from '../model/budget.ts'
import { addressKey } from './addresses.ts'

/** Makes the server close connections beyond the budget. Each server has its own count. */
export function limitConnections(server: Pick<Server, 'on' | 'maxConnections'>, connections: Budget): void {
  server.maxConnections = connections.max
  server.on('drop', () => connections.recordRejection())
  server.on('connection', (socket) => {
    if (connections.take(1, server)) socket.once('close', () => connections.release(1, server))
  })
}

/** Closes a connection beyond the limit of its address as soon as it arrives. */
export function limitConnectionsPerAddress(
  server: Pick<Server, 'prependListener'>,
  perAddress: Budget,
): void {
  server.prependListener('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress)
    if (!perAddress.take(1, address)) return void socket.destroy()
    socket.once('close', () => perAddress.release(1, address))
  })
}

/** Closes a connection that sends more requests without waiting for their responses, and does not serve its remaining bytes. */
export function limitPipelining(serve: RequestListener, perConnection: Budget): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    if (!perConnection.take(1, socket)) return void socket.destroy()
    response.once('close', () => perConnection.release(1, socket))
    serve(request, response)
  }
}
