import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Budget } from '../model/budget.ts'
import { addressKey } from './addresses.ts'

/** The server itself closes connections beyond its budget; each server has its own count. */
export function countConnections(server: Pick<Server, 'on' | 'maxConnections'>, connections: Budget): void {
  server.maxConnections = connections.max
  server.on('drop', () => connections.recordRejection())
  server.on('connection', (socket) => {
    if (connections.take(1, server)) socket.once('close', () => connections.release(1, server))
  })
}

/** A connection beyond the limit of its address is closed as soon as it arrives. */
export function limitAddresses(server: Pick<Server, 'prependListener'>, ofAddress: Budget): void {
  server.prependListener('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress)
    if (!ofAddress.take(1, address)) return void socket.destroy()
    socket.once('close', () => ofAddress.release(1, address))
  })
}

/** A connection that sends more requests without waiting for their responses is closed, and the rest of its bytes is not served. */
export function limitPipelining(serve: RequestListener, ofConnection: Budget): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    if (!ofConnection.take(1, socket)) return void socket.destroy()
    response.once('close', () => ofConnection.release(1, socket))
    serve(request, response)
  }
}
